"""Users' own tables of labelled texts: TSV, CSV and JSON Lines files with named columns."""

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from mobilebert_tf.data import rows
from mobilebert_tf.data.columns import Columns
from mobilebert_tf.data.labelled_texts import LabelledTexts, from_rows
from mobilebert_tf.errors import InputError

_READERS = {".tsv": rows.read_tsv, ".csv": rows.read_csv, ".jsonl": rows.read_jsonl}


def read(path: str | os.PathLike, columns: Columns,
         labels: tuple[str, ...] | None) -> LabelledTexts:
    """Reads a labelled table.

    The end of its name says what it is. The first line of .tsv (tabs; quotes mean nothing) and .csv
    (commas; fields in double quotes may hold anything) names the columns; every line of .jsonl is
    an object. Blanks around a label mean nothing.

    Args:
      path: the file, in UTF-8.
      columns: which columns to read.
      labels: names of the classes in the order of their ids; None for regression, where the
        labels are numbers.
    Raises:
      InputError: with file and line, for a file that cannot be read as a table (see `rows`), an
        empty text, and a label that is not one of `labels`, or no finite number.
    """
    return from_rows(path, _rows(path, columns), columns, labels)


def find_labels(paths: Sequence[str | os.PathLike], columns: Columns) -> tuple[str, ...]:
    """The classes of the training files, sorted: by value where all are numbers.

    Raises:
      InputError: as for `read`; for an empty label; and where there are fewer than two classes.
    """
    found = set()
    for path in paths:
        for line, (label, *_) in _rows(path, columns):
            if not label:
                raise InputError(f"{path}, line {line}: the {columns.label} is empty; give it a "
                                 f"label, or leave the row out")
            found.add(label)
    if len(found) < 2:
        raise InputError(f"every row of {', '.join(map(str, paths))} has the {columns.label} "
                         f"{', '.join(map(repr, found))}; a classifier needs two classes at least")
    return tuple(sorted(found, key=_number if all(map(_is_number, found)) else None))


def _rows(path, columns) -> Iterable[tuple[int, list[str]]]:
    """(line, [label, text, second text]) of every row."""
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        raise InputError(f"cannot tell what {path} is; its name should end in "
                         f"{', '.join(_READERS)}")
    for line, (label, *texts) in _READERS[suffix](path, (columns.label, *columns.texts)):
        for column, text in zip(columns.texts, texts, strict=True):
            if not text.strip():
                raise InputError(f"{path}, line {line}: the {column} is empty; give it a text, or "
                                 f"leave the row out")
        yield line, [label.strip(), *texts]


def _number(label):
    """By value, and by spelling where values are the same."""
    return float(label), label


def _is_number(label):
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False
