"""Opening a model by its path: a model directory, a .keras file, or an exported file."""

import dataclasses
import os
from pathlib import Path

from mobilebert_tf import kinds, model_directory
from mobilebert_tf.checks import check_path
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.running.model_runner import ModelRunner
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task import Task
from mobilebert_tf.terminal.waiting import waiting


def open_model(path: str | os.PathLike, length: int | None = None, threads: int | None = None,
               kind: type[Kind] | None = None) -> ModelRunner:
    """Open a model, ready to run.

    Args:
      path: a model directory, a Hugging Face directory, a .keras file, a .tflite file, or a
        package, whose first file is opened.
      length: the most tokens of a row of a Keras model, cut to its positions; None for the length
        of its fine-tuning, else its kind's. A file has its own.
      threads: of a file's CPU kernels; None for LiteRT's own choice.
      kind: the kind to run a Keras model as, if its encoder is enough for that; None for its own.
    Raises:
      InputError: if there is no such model, or it cannot be used.
    """
    check_path(path=path)
    path = file_of(Path(path))
    check_there(path)
    if is_file(path):
        from mobilebert_tf.export.file.runner import Runner

        return Runner(path, threads)
    from mobilebert_tf.running.keras_runner import KerasRunner

    with waiting(f"Loading {path}"):
        contents = model_directory.load(path)
    if kind is not None and kind.name != contents.kind.name:
        model = kind.adapted(contents.model, contents.embedding_pooler)
        contents = dataclasses.replace(contents, model=model, kind=kinds.of(model))
    if length is None:
        length = contents.length or contents.kind.length
    return KerasRunner(contents, min(length, contents.model.config.max_positions), path,
                       pairs=catalogue.reads_pairs(contents.task, contents.columns))


def task_for(path: Path, name: str, columns: dict[str, str] | None) -> Task:
    """Return a task for a model to be scored on, with the model's labels.

    Refuse a model of another kind, or with other labels, before its weights are loaded. This works
    for exported files, and for directories that name the task of their fine-tuning.

    Args:
      path: of the model.
      name: of the task.
      columns: of its tables; for those that are not named, the ones that the model was fine-tuned
        with on this task.
    Raises:
      InputError: if the model is not one for the task.
    """
    check_there(path)
    if is_file(path):
        from mobilebert_tf.export.file import metadata

        kind = metadata.read(path).kind
        task = catalogue.of(name, columns, kind.labels)
        task.check(kind, path)
        return task
    found = model_directory.description(path)
    same_task = found.get("task") == name
    labels = found["kind"].labels if found else None
    own = found["columns"] if same_task else None
    task = catalogue.of(name, catalogue.in_place_of(own, columns, path), labels)
    # The encoder of any model gives embeddings; a directory of no task may hold anything.
    if found.get("task") is not None and task.kind.is_fine_tuned:
        task.check(found["kind"], path)
    return task


def trained_length(path: Path, task: Task) -> int | None:
    """Return the row length, in tokens, with which a model directory was fine-tuned for a task.

    The model must have been fine-tuned on a task of the same kind; MNLI's two dev sets are of one
    kind. Return None for another kind, and for an exported file, which has its own lengths.
    """
    found = {} if is_file(path) else model_directory.description(path)
    is_such = found.get("task") is not None and type(found["kind"]) is type(task.kind)
    return found.get("length") if is_such else None


def file_of(path: Path) -> Path:
    """Return the first file of the package at a path; the path itself if there is no package.

    Raises:
      InputError: if the package's model.json is damaged.
    """
    from mobilebert_tf.export.package import directory as package_directory

    return package_directory.first_file(path)


def check_there(path: Path) -> None:
    """Raise InputError if there is nothing at the path."""
    if not path.exists():
        raise InputError(f"there is no model {path}")


def is_file(path: Path) -> bool:
    """Return whether the path names an exported file, and no Keras model."""
    return path.is_file() and path.suffix != ".keras"
