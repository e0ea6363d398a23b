"""The tasks by name: the benchmarks', and those of users' own files."""

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mobilebert_tf.data.datasets import glue, glue_dataset, tables
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import metrics
from mobilebert_tf.tasks.classification import ClassificationTask
from mobilebert_tf.tasks.embedding import EmbeddingTask
from mobilebert_tf.tasks.question_answering import QuestionAnsweringTask
from mobilebert_tf.tasks.regression import RegressionTask
from mobilebert_tf.tasks.tagging import TaggingTask
from mobilebert_tf.tasks.task import Task
from mobilebert_tf.tasks.task_data import TaskData

_ENDINGS = (".tsv", ".csv", ".jsonl")
# What a directory of files is called that TFDS (tensorflow-datasets) keeps.
_TFDS = "tfds:"


def _read_glue(path, name):
    """A file, or in its place the split that TFDS has."""
    if dataset(path) is None:
        return glue.read(path, glue.task(name))
    return glue_dataset.read(name, _split(path, name))


def _split(path, name):
    source = glue.task(name)
    config = name.removesuffix("_mismatched")
    if path.parent != Path(f"{_TFDS}glue/{config}"):
        raise InputError(f"{path.parent} is not the task {name} of TFDS: give "
                         f"--data {_TFDS}glue/{config}")
    return {source.train_file: "train", source.dev_file: "dev", source.test_file: "test"}[path.name]


def _glue(name):
    source = glue.task(name)
    settings = {"name": name, "train_files": (source.train_file,), "dev_file": source.dev_file,
                "metrics": metrics.of(name)}
    if source.labels is None:
        return RegressionTask(read_file=lambda path: _read_glue(path, name), **settings)
    return ClassificationTask(labels=source.labels, values=source.values,
                              read_file=lambda path, labels: _read_glue(path, name), **settings)


def _similarity():
    source = glue.task("stsb")
    return EmbeddingTask(name="similarity", train_files=(source.train_file,),
                         dev_file=source.dev_file,
                         metrics=dataclasses.replace(metrics.of("stsb"), main="spearman"),
                         read_file=lambda path: _read_glue(path, "stsb"))


_OWN_FILES = {"train_files": ("train",), "dev_file": "dev"}
_FIXED = {
    **{name: partial(_glue, name) for name in glue.TASKS},
    "similarity": _similarity,
    "squad": lambda: QuestionAnsweringTask(
        name="squad", train_files=("train-v1.1.json",), dev_file="dev-v1.1.json", length=384),
    "squad_v2": lambda: QuestionAnsweringTask(
        name="squad_v2", train_files=("train-v2.0.json",), dev_file="dev-v2.0.json", length=384,
        with_null=True),
    "tagging": lambda: TaggingTask(
        name="tagging", train_files=("train.bio",), dev_file="valid.bio",
        test_file="test.bio"),
}
_WITH_COLUMNS = {
    "classification": lambda columns: ClassificationTask(
        name="classification", metrics=metrics.CLASSIFICATION,
        find_labels=lambda paths: tables.find_labels(paths, columns),
        read_file=lambda path, labels: tables.read(path, columns, labels), **_OWN_FILES),
    "regression": lambda columns: RegressionTask(
        name="regression", metrics=metrics.REGRESSION,
        read_file=lambda path: tables.read(path, columns, None), **_OWN_FILES),
}
NAMES = (*_FIXED, *_WITH_COLUMNS)


def of(name: str, options: dict | None = None, labels: tuple[str, ...] | None = None) -> Task:
    """The task of this name.

    Args:
      name: in `NAMES`.
      options: of classification and regression, the columns' names: text, label, and
        second_text where there is one. None for all others.
      labels: of the model, where the task finds its own in training data.
    Raises:
      InputError: for an unknown name, and for columns that are missing or mean nothing here.
    """
    if name in _FIXED:
        if options:
            raise InputError(f"the task {name} has its own format: columns cannot be named")
        task = _FIXED[name]()
    elif name in _WITH_COLUMNS:
        if not {"text", "label"} <= set(options or ()):
            raise InputError(f"the task {name} reads your own table: name its columns with --text "
                             "and --label")
        task = dataclasses.replace(_WITH_COLUMNS[name](Columns(**options)),
                                   options=options)
    else:
        raise InputError(f"unknown task {name!r}; known are {', '.join(NAMES)}")
    return task if task.labels is not None or labels is None else task.with_labels(labels)


def data(task: Task, directory: Path | None, train_files: Sequence[Path] = (),
         dev_file: Path | None = None, test_file: Path | None = None) -> TaskData:
    """A task with its files: those given, and for the rest those in its directory.

    Args:
      task: of `of`.
      directory: with the task's files; tfds:glue/sst2 and the like for TFDS's own, of GLUE.
      train_files, dev_file, test_file: in place of the directory's, of which a test set with labels
        may be missing.
    Raises:
      InputError: where nothing says what the dev file is, for a test file that is the dev file,
        and for TFDS with a task that is not of GLUE.
    """
    if directory is not None and str(directory).startswith(_TFDS) and task.name not in (
            *glue.TASKS, "similarity"):
        raise InputError(f"the task {task.name} is read from files, not from {directory}: TFDS "
                         "is there for GLUE")
    if not train_files and directory is not None:
        train_files = [_in_directory(task, directory, name) for name in task.train_files]
    if dev_file is None and directory is None:
        raise InputError(f"no data for the task {task.name}: name its directory with --data, or a "
                         "file with --dev")
    if test_file is None and None not in (directory, task.test_file):
        named = directory / task.test_file
        test_file = named if named.exists() else None
    dev_file = dev_file or _in_directory(task, directory, task.dev_file)
    if test_file is not None and test_file.resolve() == dev_file.resolve():
        raise InputError(f"{test_file} is the dev file, and a test set is one that chose nothing: "
                         "name another file, or none")
    return TaskData(task, tuple(train_files), dev_file, test_file)


def dataset(path: Path) -> str | None:
    """What TFDS keeps in the place of a task's file, as `data` takes it; None for a real file."""
    return str(path.parent) if str(path).startswith(_TFDS) else None


def read_test(name: str, directory: Path) -> LabelledTexts:
    """The test set of one of GLUE's tasks, which has no labels.

    Args:
      name: of the task.
      directory: as `data` takes it.
    Raises:
      InputError: for another task; and see `glue.read_unlabelled` and `glue_dataset.read`.
    """
    source = glue.task(name)
    path = directory / source.test_file
    if dataset(path) is not None:
        return glue_dataset.read(name, _split(path, name))
    return glue.read_unlabelled(path, source)


def _in_directory(task, directory, name):
    if task.options is None:
        return directory / name
    paths = [directory / f"{name}{ending}" for ending in _ENDINGS]
    found = [path for path in paths if path.exists()]
    if len(found) != 1:
        raise InputError(f"{directory} should have one of "
                         f"{', '.join(path.name for path in paths)}, and has {len(found)} of them")
    return found[0]
