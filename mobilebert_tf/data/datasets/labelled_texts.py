"""LabelledTexts: what the rows of a table say of texts."""

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Sequence

from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.left_out import LeftOut
from mobilebert_tf.errors import InputError

_COLUMNS = ("texts", "labels", "pairs", "lines")


@dataclasses.dataclass(frozen=True)
class LabelledTexts:
    """Texts, or pairs of texts, with their labels, in the order of the file.

    Args:
      texts: the text of each row, or the first of two.
      labels: a class id a row, or a number for regression; None where nobody knows.
      pairs: the second text of each row; None for single texts.
      names: of the classes, in the order of their ids; None for regression.
      lines: of the file, on which each row begins; no part of what is compared.
      skipped: rows of the files that were left out.
    """

    texts: tuple[str, ...]
    labels: tuple[int, ...] | tuple[float, ...] | None
    pairs: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    lines: tuple[int, ...] | None = dataclasses.field(default=None, compare=False)
    skipped: tuple[LeftOut, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    def select(self, numbers: Sequence[int]) -> "LabelledTexts":
        """The rows of these numbers, counted from 0."""
        return dataclasses.replace(self, skipped=(), **{
            name: values and tuple(values[number] for number in numbers)
            for name in _COLUMNS for values in [getattr(self, name)]})

    def __add__(self, other: "LabelledTexts") -> "LabelledTexts":
        """All rows of both, these first; InputError where they are not of one kind."""
        if self.names != other.names:
            raise InputError(f"labels of {_listed(self.names)} and labels of "
                             f"{_listed(other.names)} cannot be joined to one data set")
        columns = {name: _joined(name, getattr(self, name), getattr(other, name))
                   for name in _COLUMNS}
        return LabelledTexts(**columns, names=self.names, skipped=self.skipped + other.skipped)


def from_rows(path: str | os.PathLike, rows: Iterable[tuple[int, Sequence[str]]],
              columns: Columns, names: tuple[str, ...] | None,
              values: tuple[str, ...] | None = None,
              skipped: Sequence[LeftOut] = ()) -> LabelledTexts:
    """Labelled texts of a table's rows.

    Args:
      path: of the table, for messages.
      rows: (line, cells) of at least one row: the label, the text and, of pairs, the second text.
      columns: what these are called.
      names: of the classes; None for regression.
      values: what stands for each class in the table, where that is not its name.
      skipped: see `LabelledTexts`.
    Raises:
      InputError: for a label that is no class, or no finite number where there are no classes;
        with file and line.
    """
    lines, cells = zip(*rows, strict=True)
    labels, texts, *pairs = zip(*cells, strict=True)
    label_of = number if names is None else class_of(names if values is None else values)
    found = []
    for line, label in zip(lines, labels, strict=True):
        try:
            found.append(label_of(label))
        except ValueError as error:
            raise InputError(f"{path}, line {line}: the {columns.label} {label!r} {error}"
                             ) from error
    return LabelledTexts(texts, tuple(found), pairs[0] if pairs else None, names, lines,
                         tuple(skipped))


def class_of(values: Sequence[str]) -> Callable[[str], int]:
    """The function from what stands for a class to its id; it raises ValueError for all else."""
    ids = {value: index for index, value in enumerate(values)}

    def id_of(value):
        if value not in ids:
            raise ValueError(f"is not one of {', '.join(values)}")
        return ids[value]

    return id_of


def number(value: str | float) -> float:
    """The value as a number; ValueError where it is none, or not finite."""
    try:
        found = float(value)
    except ValueError as error:
        raise ValueError("is not a number") from error
    if not math.isfinite(found):
        raise ValueError("is not a finite number")
    return found


def _joined(name, these, those):
    if (these is None) != (those is None):
        raise InputError(f"data with {name} and data without cannot be joined to one data set")
    return None if these is None else these + those


def _listed(names):
    return "no classes" if names is None else f"the classes {', '.join(names)}"
