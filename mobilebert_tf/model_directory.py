"""A model with everything that its users need, in a directory."""

import dataclasses
import json
import os
import zipfile
from pathlib import Path
from typing import Annotated, Any

import msgspec

from mobilebert_tf import kinds, records
from mobilebert_tf.config import EmbeddingPooler
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import written_atomically
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.text import tokenizer_config
from mobilebert_tf.text.vocabulary import Vocabulary

_MODEL, _VOCABULARY, _DESCRIPTION = "model.keras", "vocab.txt", "model.json"
_CONFIG = "config.json"
_WEIGHTS = (_MODEL, "model.safetensors", "pytorch_model.bin")


@dataclasses.dataclass(frozen=True)
class ModelDirectory:
    """What a directory holds.

    Args:
      model: one of the project's models.
      vocabulary: its `Vocabulary`; None if there is none.
      kind: of the model, with its labels and settings.
      lower_case: whether its texts are lower-cased.
      task: the name of the task that it was fine-tuned on; None if that is not known.
      columns: of that task's tables; see `tasks.catalogue.of`.
      length: the most tokens of a row in its fine-tuning; None if that is not known.
      embedding_pooler: how sentence embeddings are made of the tokens' states; None if that is not
        known. A `SentenceEncoder` has its own.
    """

    model: object
    vocabulary: Vocabulary | None
    kind: Kind
    lower_case: bool = True
    task: str | None = None
    columns: dict[str, str] | None = None
    length: int | None = None
    embedding_pooler: EmbeddingPooler | None = None

    @property
    def labels(self) -> tuple[str, ...] | None:
        return self.kind.labels


def save(directory: str | os.PathLike, contents: ModelDirectory) -> None:
    """Write model.keras, vocab.txt and model.json.

    If one cannot be written, all stay as they were. A kill between the renames leaves files of both
    models. Without a vocabulary, the vocab.txt of an earlier model is removed.

    Raises:
      InputError: if the vocabulary is not of the model's size, for labels that could not be read
        back, and if the place cannot be written.
    """
    directory = Path(directory)
    _check_sizes(contents, directory)
    if contents.labels is not None:
        records.check_labels(contents.labels)
    replaces = is_own(directory)
    # A fresh copy: a compiled model would save its optimizer, twice the size of itself.
    model = type(contents.model).from_config(contents.model.get_config())
    model.set_weights(contents.model.get_weights())
    settings = contents.kind.settings
    # The description is renamed last. With another model's, labels and settings would be wrong.
    names = (_MODEL, *((_VOCABULARY,) if contents.vocabulary is not None else ()), _DESCRIPTION)
    with written_atomically(*(directory / name for name in names)) as beside:
        model.save(beside[0])
        if contents.vocabulary is not None:
            contents.vocabulary.save(beside[1])
        beside[-1].write_text(json.dumps({
            "kind": contents.kind.name, "labels": contents.labels,
            "settings": settings and settings.to_json(), "lower_case": contents.lower_case,
            "task": contents.task, "columns": contents.columns, "length": contents.length,
            "embedding_pooler": contents.embedding_pooler,
        }, indent=2) + "\n", "utf-8")
    if contents.vocabulary is None and replaces:
        # The earlier model's would be read as this one's.
        (directory / _VOCABULARY).unlink(missing_ok=True)


def load(path: str | os.PathLike) -> ModelDirectory:
    """Read what `save` wrote, or a Hugging Face directory with its vocab.txt, if there is one.

    Args:
      path: the directory; or a .keras file, which may have vocab.txt and model.json beside it.
    Raises:
      InputError: if there is no model at the path, it is damaged or not of this project, or its
        vocabulary is of another size.
    """
    return load_with_report(path)[0]


def is_model_directory(path: str | os.PathLike) -> bool:
    """Return whether there is a model directory, ours or Hugging Face's, at the path."""
    return any((Path(path) / name).exists() for name in (_DESCRIPTION, _CONFIG))


def check_unfinished(directory: Path, is_begun: bool) -> None:
    """Raise InputError if a model or a vocabulary lies there that is not of an unfinished run.

    Args:
      directory: that a run wants to write.
      is_begun: whether the run has checkpoints. It writes one before it writes a model.
    """
    if is_begun:
        return
    found = "model" if is_model_directory(directory) else (
        _VOCABULARY if (directory / _VOCABULARY).exists() else None)
    if found:
        raise InputError(f"{directory} holds a {found} that is not of an unfinished run; choose "
                         "another output directory")


def is_whole(path: str | os.PathLike) -> bool:
    """Return whether model.keras and model.json are both at the path."""
    return all((Path(path) / name).exists() for name in (_MODEL, _DESCRIPTION))


def is_own(path: str | os.PathLike) -> bool:
    """Return whether there is a model directory of this package at the path."""
    return (Path(path) / _DESCRIPTION).exists()


def description(path: str | os.PathLike) -> dict:
    """Read model.json without loading TensorFlow.

    Args:
      path: as `load` takes it.
    Returns:
      the fields of `ModelDirectory` but model and vocabulary; empty if there is no model.json.
    Raises:
      InputError: if there is no model directory at the path, or model.json is damaged.
    """
    path = _directory_of(Path(path))
    return _description(path) if (path / _DESCRIPTION).exists() else {}


def files(path: str | os.PathLike) -> list[Path]:
    """Return the files that `load` reads.

    Args:
      path: as `load` takes it.
    Raises:
      InputError: if there is no model at the path.
    """
    from mobilebert_tf.checkpoints import sentence_transformers

    path = Path(path)
    directory = _directory_of(path)
    weights = [path] if path.is_file() else [directory / name for name in _WEIGHTS]
    beside = (_DESCRIPTION, _CONFIG, _VOCABULARY, tokenizer_config.NAME,
              sentence_transformers.POOLING)
    return [file for file in (*weights, *(directory / name for name in beside)) if file.exists()]


def load_with_report(path: str | os.PathLike) -> tuple:
    """Return what `load` does, and the `LoadReport` of a Hugging Face directory; None for ours."""
    path = Path(path)
    directory = _directory_of(path)
    if path.is_file():
        contents, report = _load_own(path), None
    elif (directory / _DESCRIPTION).exists():
        contents, report = _load_own(directory / _MODEL), None
    else:
        contents, report = _load_huggingface(directory)
    _check_sizes(contents, path)
    kind = contents.kind.embedded_by(contents.embedding_pooler)
    return dataclasses.replace(contents, kind=kind), report


def beside(checkpoint: str | os.PathLike, model) -> ModelDirectory:
    """Return a model with the vocab.txt and tokenizer_config.json beside its checkpoint, if any."""
    directory = Path(checkpoint).parent
    contents = ModelDirectory(model, _vocabulary(directory), kinds.of(model),
                              tokenizer_config.lower_case(directory))
    _check_sizes(contents, checkpoint)
    return contents


def _directory_of(path):
    """The directory that a path names; raise InputError if there is no model in it."""
    if path.is_file():
        if path.suffix != ".keras" or not zipfile.is_zipfile(path):
            raise InputError(f"{path} is not a Keras model; name a model directory, or a .keras "
                             f"file with {_VOCABULARY} and {_DESCRIPTION} beside it")
        return path.parent
    if not path.is_dir():
        raise InputError(f"there is no model directory {path}")
    if not is_model_directory(path):
        raise InputError(f"{path} is not a model directory: it has neither {_DESCRIPTION} nor "
                         f"{_CONFIG}")
    exported = sorted(path.glob("*.tflite"))
    if exported and not any((path / name).exists() for name in _WEIGHTS):
        raise InputError(f"{path} is a package, not a model directory; name the file in it: "
                         f"{exported[0]}")
    return path


class _Description(msgspec.Struct, forbid_unknown_fields=True):
    """model.json."""

    kind: records.Text
    lower_case: bool
    labels: Annotated[list[records.Label], msgspec.Meta(min_length=1)] | None = None
    settings: Any = None
    task: records.Text | None = None
    columns: dict[str, str] | None = None
    length: Annotated[int, msgspec.Meta(ge=3, le=1 << 20)] | None = None
    embedding_pooler: EmbeddingPooler | None = None


def _description(path):
    source = str(path / _DESCRIPTION)
    found = msgspec.structs.asdict(records.read(source, _Description))
    kind = kinds.described(found.pop("kind"), found.pop("labels"), found.pop("settings"), source)
    return {**found, "kind": kind}


def _load_own(path):
    from mobilebert_tf.checkpoints import keras_file

    directory = path.parent
    # Read before the model is built, which takes longer.
    described = _description(directory) if (directory / _DESCRIPTION).exists() else {}
    model = keras_file.load(path)
    kind = described.setdefault("kind", kinds.of(model))
    if not kind.matches(model):
        raise InputError(f"{directory / _DESCRIPTION} says that the model is for {kind.name}, and "
                         f"{path.name} holds a {type(model).__name__} for {kinds.of(model).name}")
    return ModelDirectory(model, _vocabulary(directory), **described)


def _load_huggingface(path):
    from mobilebert_tf.checkpoints import huggingface, sentence_transformers

    lower_case = tokenizer_config.lower_case(path)
    model, report = huggingface.load_with_report(path)
    kind = kinds.of(model)
    # A config.json may name classes for a model that has none.
    labels = huggingface.read_labels(path) if kind.has_labels else None
    return ModelDirectory(
        model, _vocabulary(path), kind.bound(labels, None), lower_case,
        embedding_pooler=sentence_transformers.pooler(path)), report


def _vocabulary(path):
    return Vocabulary.load(path / _VOCABULARY) if (path / _VOCABULARY).exists() else None


def _check_sizes(contents, path):
    classes = getattr(contents.model, "num_classes", None)
    if contents.labels is not None and classes is not None and len(contents.labels) != classes:
        raise InputError(f"{path} names {len(contents.labels)} labels, and its model has "
                         f"{classes} classes")
    if contents.vocabulary is not None:
        check_vocabulary(contents.vocabulary, contents.model.config, path)


def check_vocabulary(vocabulary, config, path=None) -> None:
    """Raise InputError unless a vocabulary is of the size of a model's word table."""
    if len(vocabulary) != config.vocab_size:
        model = "the model" if path is None else f"the model {path}"
        raise InputError(f"{vocabulary.path or 'the vocabulary'} has {len(vocabulary)} pieces, "
                         f"{model} has {config.vocab_size}: name the model's own vocabulary")
