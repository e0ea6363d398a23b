"""The tasks by name: the published ones as data, and one for each kind that reads own tables."""

import dataclasses
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mobilebert_tf import kinds
from mobilebert_tf.checks import check_path, check_several
from mobilebert_tf.data.datasets import conll, glue, glue_dataset, rows, squad
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import metrics
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.kinds.question_answering import QuestionAnswering
from mobilebert_tf.kinds.regression import Regression
from mobilebert_tf.kinds.tagging import Tagging
from mobilebert_tf.tasks.task import Task
from mobilebert_tf.tasks.task_data import TaskData

_ENDINGS = tuple(f"{ending}{gz}" for ending in rows.READERS for gz in ("", ".gz"))
# What the data directory of a task is called if TFDS (tensorflow-datasets) keeps it.
_TFDS = "tfds:"


def _read_glue(name, path, labels):
    """Read a file, or the split of TFDS in its place."""
    if dataset(path) is None:
        return glue.read(path, glue.task(name))
    return glue_dataset.read(name, _split(path, name))


def _split(path, name):
    source = glue.task(name)
    config = name.removesuffix("_mismatched")
    if path.parent != Path(f"{_TFDS}glue/{config}"):
        raise InputError(f"{path.parent} is not the task {name} of TFDS: the data should be "
                         f"{_TFDS}glue/{config}")
    splits = {source.train_file: "train", source.dev_file: "dev", source.test_file: "test"}
    if path.name not in splits:
        raise InputError(f"{path}: the data of TFDS are named by their directory, {path.parent}, "
                         f"or with {', '.join(splits)} behind it")
    return splits[path.name]


def _glue(name):
    source = glue.task(name)
    return Task(
        name=name, metrics=metrics.of(name), read_file=partial(_read_glue, name),
        kind=Regression() if source.labels is None else Classification(labels=source.labels),
        glue_files=source, answer_values=source.values, train_files=(source.train_file,),
        dev_file=source.dev_file)


def _read_squad(path, labels):
    return squad.read(path)


_GLUE = {name: _glue(name) for name in glue.TASKS}
_FIXED = {
    **_GLUE,
    "similarity": dataclasses.replace(
        _GLUE["stsb"], name="similarity", kind=Embedding(),
        metrics=dataclasses.replace(metrics.of("stsb"), main="spearman")),
    "squad": Task(
        name="squad", kind=QuestionAnswering(unanswerable="none"), metrics=metrics.SQUAD,
        read_file=_read_squad, train_files=("train-v1.1.json",), dev_file="dev-v1.1.json"),
    "squad_v2": Task(
        name="squad_v2", kind=QuestionAnswering(unanswerable="some"), metrics=metrics.SQUAD_V2,
        read_file=_read_squad, train_files=("train-v2.0.json",), dev_file="dev-v2.0.json"),
    "tagging": Task(
        name="tagging", kind=Tagging(), metrics=metrics.TAGGING, read_file=conll.read,
        find_labels=conll.find_labels, train_files=("train.bio",), dev_file="valid.bio",
        test_file="test.bio"),
}


def _own_table(kind, columns):
    """The task on the user's own tables, which has the name of its kind."""
    table, named = kind.table, Columns(**columns)
    return Task(
        name=kind.name, kind=kind(), metrics=table.metrics, columns=columns,
        read_file=lambda path, labels: table.read(path, named, labels),
        find_labels=table.find_labels and (lambda paths: table.find_labels(paths, named)),
        train_files=("train",), dev_file="dev")


def _with_tables():
    return tuple(name for name in kinds.names() if kinds.get(name).table is not None)


def names() -> tuple[str, ...]:
    """The names of all tasks: the published ones, then those on own tables."""
    return (*_FIXED, *_with_tables())


def columns(text: str | None, label: str | None,
            second_text: str | None = None) -> dict[str, str] | None:
    """Return the columns that were named, as `of` takes them; None if none was."""
    named = {"text": text, "second_text": second_text, "label": label}
    return {name: column for name, column in named.items() if column is not None} or None


def in_place_of(own: dict[str, str] | None, named: dict[str, str] | None,
                source: str | os.PathLike) -> dict[str, str] | None:
    """Return the columns of a model, with those that the user named in their place.

    Args:
      own: of the model's directory; None if it has none.
      named: as `columns` returns them.
      source: the path of the model, for messages.
    Raises:
      InputError: for a second text, if the model was fine-tuned on single texts.
    """
    if own is not None and "second_text" in (named or {}) and "second_text" not in own:
        raise InputError(f"{source} was fine-tuned on single texts: leave second_text out")
    return {**(own or {}), **(named or {})} or None


def reads_pairs(name: str | None, columns: dict[str, str] | None) -> bool | None:
    """Return whether models of a task read pairs of texts; None if that is not known.

    Args:
      name, columns: as a model's directory has them.
    """
    if columns is not None:
        return "second_text" in columns
    task = _FIXED.get(name)
    if task is None:
        return None
    # Sentences are compared by their embeddings, each of which is made of one text.
    if task.kind.table is None:
        return isinstance(task.kind, QuestionAnswering)
    return task.glue_files.columns.second_text is not None


def of(name: str, columns: dict[str, str] | None = None, labels: tuple[str, ...] | None = None,
       settings=None) -> Task:
    """Return the task of this name.

    Args:
      name: in `names()`.
      columns: of the user's own table, the columns' names by `text`, `label`, and `second_text` if
        there is one. None for all other tasks.
      labels: of a model, if the task finds its labels in training data.
      settings: of a model; see `Kind`.
    Raises:
      InputError: for an unknown name, and for columns that are missing or mean nothing here.
    """
    if name in _FIXED:
        if columns:
            raise InputError(f"the task {name} has its own format: columns cannot be named")
        task = _FIXED[name]
    elif name in _with_tables():
        if not {"text", "label"} <= set(columns or ()):
            raise InputError(f"the task {name} reads your own table: name the columns of the text "
                             "and the label")
        unknown = columns.keys() - {field.name for field in dataclasses.fields(Columns)}
        if unknown:
            raise InputError(f"the task {name} has no column for {min(unknown)!r}: name those of "
                             "text, label and second_text")
        task = _own_table(kinds.get(name), columns)
    else:
        raise InputError(f"unknown task {name!r}; known are {', '.join(names())}")
    return task.bound(task.labels or labels, settings)


def data(task: Task, directory: str | os.PathLike | None,
         train_files: Sequence[str | os.PathLike] = (), dev_file: str | os.PathLike | None = None,
         test_file: str | os.PathLike | None = None) -> TaskData:
    """Return a task with its files: those given, and for the rest those in its directory.

    Args:
      task: of `of`.
      directory: with the task's files; tfds:glue/sst2 and the like for GLUE from TFDS.
      train_files, dev_file, test_file: used instead of the directory's. The directory need not have
        a test file, nor training files if nothing is trained.
    Raises:
      InputError: if nothing says what the dev file is, for a test file that is the dev file, for a
        single training file that is not in a list, for what is no path, and for TFDS with a task
        that is not of GLUE.
    """
    check_several(train=train_files)
    train_files = list(train_files)
    check_path(**{f"train[{number}]": path for number, path in enumerate(train_files)}, **{
        name: given for name, given in (
            ("data", directory), ("dev", dev_file), ("test", test_file)) if given is not None})
    directory, dev_file, test_file = (given if given is None else Path(given)
                                      for given in (directory, dev_file, test_file))
    if directory is not None and str(directory).startswith(_TFDS) and task.glue_files is None:
        raise InputError(f"the task {task.name} is read from files, not from {directory}: TFDS "
                         "is there for GLUE")
    no_train_files = None
    if not train_files and directory is not None:
        if task.columns is None or any(_found(directory, name) for name in task.train_files):
            train_files = [_in_directory(task, directory, name) for name in task.train_files]
        else:  # Scoring needs none.
            no_train_files = _none_or_several(directory, task.train_files[0], 0)
    if dev_file is None and directory is None:
        raise InputError(f"no data for the task {task.name}: name its directory, or a dev file")
    if test_file is None and None not in (directory, task.test_file):
        named = directory / task.test_file
        test_file = named if named.exists() else None
    dev_file = dev_file or _in_directory(task, directory, task.dev_file)
    if test_file is not None and test_file.resolve() == dev_file.resolve():
        raise InputError(f"{test_file} is the dev file, and a test set is one that chose nothing: "
                         "name another file, or none")
    return TaskData(task, tuple(map(Path, train_files)), dev_file, test_file, no_train_files)


def dataset(path: Path) -> str | None:
    """Return the TFDS data set in the place of a task's file; None for a real file."""
    return str(path.parent) if str(path).startswith(_TFDS) else None


def read_test(name: str, directory: Path) -> LabelledTexts:
    """Read the test set of one of GLUE's tasks, which has no labels.

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
    if task.columns is None:
        return directory / name
    found = _found(directory, name)
    if len(found) != 1:
        raise InputError(_none_or_several(directory, name, len(found)))
    return found[0]


def _found(directory, name):
    """Return the user's own tables of this name, whatever their ending."""
    return [path for ending in _ENDINGS if (path := directory / f"{name}{ending}").exists()]


def _none_or_several(directory, name, count):
    return (f"{directory} should have one of {', '.join(f'{name}{one}' for one in _ENDINGS)}, and "
            f"has {count} of them")
