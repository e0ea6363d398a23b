"""The directory that a run writes its model and its checkpoints into."""

from pathlib import Path

from mobilebert_tf import model_directory
from mobilebert_tf.errors import InputError

CHECKPOINTS = "checkpoints"


def check_place(directory: Path) -> None:
    """Raise InputError if a model lies there that is not of an unfinished run.

    An unfinished run has a checkpoint before it has a model.
    """
    if model_directory.is_model_directory(directory) and not (directory / CHECKPOINTS).exists():
        raise InputError(f"{directory} holds a model that is not of an unfinished run; choose "
                         "another output directory")
