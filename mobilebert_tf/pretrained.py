"""The model that a directory or a repository of the Hugging Face hub holds."""

import os
from pathlib import Path

import tf_keras as keras

from mobilebert_tf import model_directory
from mobilebert_tf.checkpoints import hub, huggingface
from mobilebert_tf.errors import InputError


def from_pretrained(name: str | os.PathLike, revision: str | None = None) -> keras.Model:
    """Load the model, with its heads, that a directory or a hub repository holds.

    Args:
      name: a model directory of this project or of Hugging Face's layout, a .keras file of this
        project, or a repository of the hub such as `google/mobilebert-uncased`. A repository needs
        the network and the extra `hub` (`pip install '.[hub]'` in a checkout).
      revision: branch, tag or commit of a repository; by default its main branch.
    Returns:
      A `Pretrainer`, `Classifier`, `TokenClassifier`, `QuestionAnswerer`, `SentenceEncoder` or
      `Encoder`. Every one of them has its encoder as `.encoder`.
    Raises:
      InputError: for a local path with a revision; when the extra, the network, the repository or
        its files are missing; or when the model is damaged or of another kind.

    Example:
      >>> import mobilebert_tf as mb
      >>> encoder = mb.from_pretrained("google/mobilebert-uncased").encoder  # doctest: +SKIP
    """
    if os.path.exists(name) and revision is not None:
        raise InputError(f"a revision is of a repository on the hub, and {name} is a local path: "
                         "leave it out")
    path = Path(name) if os.path.exists(name) else hub.directory(name, revision)
    if path.is_dir() and not model_directory.description(path):
        return huggingface.load(path)  # the model alone: its vocabulary does not matter
    return model_directory.load(path).model
