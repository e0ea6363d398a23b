"""LabelledTexts: the texts and labels of a table."""

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Sequence

from mobilebert_tf import records
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.rows import LABEL_SEPARATOR, LeftOut
from mobilebert_tf.errors import InputError

_COLUMNS = ("texts", "labels", "second_texts", "lines")


@dataclasses.dataclass(frozen=True)
class LabelledTexts:
    """Texts, or pairs of texts, with their labels, in the order of the file.

    Args:
      texts: the text of each row, or the first of two.
      labels: for each row a class id; a number (regression); or, where a text has several labels,
        a tuple with 1.0 or 0.0 for each class, 1.0 where the text has it. None if unknown.
      second_texts: the second text of each row; None for single texts.
      names: the names of the classes, in the order of their ids; None for regression.
      lines: the line of the file on which each row begins; ignored by ==.
      skipped: the rows of the files that were left out.
    """

    texts: tuple[str, ...]
    labels: tuple[int, ...] | tuple[float, ...] | tuple[tuple[float, ...], ...] | None
    second_texts: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    lines: tuple[int, ...] | None = dataclasses.field(default=None, compare=False)
    skipped: tuple[LeftOut, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    def select(self, numbers: Sequence[int]) -> "LabelledTexts":
        """Return the rows of these numbers, counted from 0."""
        return dataclasses.replace(self, skipped=(), **{
            name: values and tuple(values[number] for number in numbers)
            for name in _COLUMNS for values in [getattr(self, name)]})

    def __add__(self, other: "LabelledTexts") -> "LabelledTexts":
        """Return the rows of both, these first.

        Raises:
          InputError: if the classes differ, or only one of the two has labels or second texts.
        """
        if self.names != other.names:
            raise InputError(f"data with {_listed(self.names)} and data with "
                             f"{_listed(other.names)} cannot be joined to one data set")
        columns = {name: _joined(name, getattr(self, name), getattr(other, name))
                   for name in _COLUMNS}
        return LabelledTexts(**columns, names=self.names, skipped=self.skipped + other.skipped)


def from_rows(path: str | os.PathLike, rows: Iterable[tuple[int, Sequence[str]]],
              columns: Columns, label_of: Callable[[str], object],
              names: tuple[str, ...] | None = None,
              skipped: Sequence[LeftOut] = ()) -> LabelledTexts:
    """Turn the rows of a table into labelled texts.

    Args:
      path: the table, for messages.
      rows: (line, cells) of each row, at least one. The cells are the label, the text and, for
        pairs of texts, the second text.
      columns: the names of these columns.
      label_of: turns the text of a label cell into a label; `class_of`, `classes_of` and `number`
        make such functions. It raises ValueError for any other text.
      names: the names of the classes; None for regression.
      skipped: see `LabelledTexts`.
    Raises:
      InputError: with file and line, if `label_of` refuses a label.
    """
    lines, cells = zip(*rows, strict=True)
    labels, texts, *others = zip(*cells, strict=True)
    found = []
    for line, label in zip(lines, labels, strict=True):
        try:
            found.append(label_of(label))
        except ValueError as error:
            raise InputError(f"{path}, line {line}: the {columns.label} {records.quoted(label)} "
                             f"{error}") from error
    return LabelledTexts(texts, tuple(found), others[0] if others else None, names, lines,
                         tuple(skipped))


def class_of(values: Sequence[str]) -> Callable[[str], int]:
    """Return a function from a class, written as in `values`, to its id.

    The function raises ValueError for any other text.
    """
    ids = {value: index for index, value in enumerate(values)}

    def id_of(value):
        if value not in ids:
            raise ValueError(f"is not one of {records.some(values)}")
        return ids[value]

    return id_of


def classes_of(names: Sequence[str]) -> Callable[[str], tuple[float, ...]]:
    """Return a function from labels, separated by `|`, to 1.0 or 0.0 for each class.

    The function raises ValueError for an unknown or empty label.

    Example:
      >>> classes_of(("anger", "joy", "love"))("joy|love")
      (0.0, 1.0, 1.0)
    """
    id_of = class_of(names)

    def multi_hot(value):
        ids = set()
        for label in split_labels(value):
            try:
                ids.add(id_of(label))
            except ValueError as error:
                raise ValueError(f"holds {label!r}, which {error}") from error
        return tuple(float(index in ids) for index in range(len(names)))

    return multi_hot


def split_labels(value: str) -> list[str]:
    """Split labels at `|` and strip blanks; return none for a blank text.

    Raises:
      ValueError: if one of several labels is empty.
    """
    labels = [label.strip() for label in value.split(LABEL_SEPARATOR)] if value.strip() else []
    if "" in labels:
        raise ValueError(f"holds an empty label; put one {LABEL_SEPARATOR} between two labels")
    return labels


def number(value: str | float) -> float:
    """Return the value as a number; raise ValueError if it is none, or not finite."""
    try:
        if "_" in str(value):  # Python takes 1_000 for a number
            raise ValueError
        found = float(value)
    except ValueError as error:
        raise ValueError("is not a number") from error
    if not math.isfinite(found):
        raise ValueError("is not a finite number")
    return found


def _joined(name, these, those):
    if (these is None) != (those is None):
        name = name.replace("_", " ")
        raise InputError(f"data with {name} and data without {name} cannot be joined to one data "
                         "set")
    return None if these is None else these + those


def _listed(names):
    return "no classes" if names is None else f"the classes {', '.join(names)}"
