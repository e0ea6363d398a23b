"""GLUE's official TSV files, as labelled texts."""

import dataclasses
import os
from pathlib import Path

from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class Task:
    """Where a task's text and label stand in its files.

    `labels` are the names of the classes, in the order of their ids; `values` is what stands
    for each in the files. `columns` names all columns of files that have no header line; where it
    is None, their first line does.
    """

    text_column: str
    label_column: str
    labels: tuple[str, ...]
    values: tuple[str, ...]
    columns: tuple[str, ...] | None = None
    train_file: str = "train.tsv"
    dev_file: str = "dev.tsv"


@dataclasses.dataclass(frozen=True)
class LabelledTexts:
    """Texts with their classes, in the order of the file."""

    texts: tuple[str, ...]
    labels: tuple[int, ...]


TASKS = {
    "sst2": Task("sentence", "label", labels=("negative", "positive"), values=("0", "1")),
    "cola": Task("sentence", "label", labels=("unacceptable", "acceptable"), values=("0", "1"),
                 columns=("source", "label", "star", "sentence")),
}


def task(name: str) -> Task:
    """The task of this name; InputError lists the known ones where there is none."""
    if name not in TASKS:
        raise InputError(f"unknown task {name!r}; known are {', '.join(TASKS)}")
    return TASKS[name]


def read(path: str | os.PathLike, task: Task) -> LabelledTexts:
    """Reads a labelled TSV file; quotes mean nothing, as in GLUE.

    Raises:
      InputError: see `read_rows`; and for a label that is not the task's.
    """
    texts, labels = [], []
    columns = (task.text_column, task.label_column)
    for number, (text, label) in read_rows(path, columns, task.columns):
        if label not in task.values:
            raise InputError(f"{path}, line {number}: the label {label!r} is not one "
                             f"of {', '.join(task.values)}")
        texts.append(text)
        labels.append(task.values.index(label))
    return LabelledTexts(tuple(texts), tuple(labels))


def read_rows(path: str | os.PathLike, columns: tuple[str, ...],
              header: tuple[str, ...] | None = None) -> list[tuple[int, list[str]]]:
    """(line, values of these columns) of every row of a TSV file.

    Args:
      path: the file.
      columns: names of the columns to return.
      header: names of all columns, where the file has no header line.
    Raises:
      InputError: for a file that is missing, empty or not UTF-8, a header line without these
        columns, or a row with another number of columns than there are names; all with file and
        line.
    """
    path = Path(path)
    rows = [(number, line.split("\t")) for number, line in enumerate(_lines(path), 1)]
    if header is None:
        (_, header), *rows = rows
        for column in columns:
            if column not in header:
                raise InputError(f"{path}, line 1: there is no column {column!r}; the header has "
                                 f"{', '.join(map(repr, header))}")
        if not rows:
            raise InputError(f"{path} has a header and no rows")
        names = f"the header has {len(header)}"
    else:
        if rows == [(1, [""])]:
            raise InputError(f"{path} has no rows")
        names = f"there should be {len(header)}: {', '.join(header)}"
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(f"{path}, line {number} has {len(row)} columns, {names}")
    places = [header.index(column) for column in columns]
    return [(number, [row[place] for place in places]) for number, row in rows]


def _lines(path):
    """The lines of a file; one that is empty has a single empty line."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    try:
        return content.decode("utf-8").replace("\r\n", "\n").rstrip("\n").split("\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line} is not UTF-8") from error
