"""Users' own tables of labelled texts: TSV, CSV and JSON Lines files with named columns."""

import math
import os
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.data.datasets import rows
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts, from_rows
from mobilebert_tf.data.datasets.left_out import LeftOut
from mobilebert_tf.errors import InputError

_READERS = {".tsv": rows.read_tsv, ".csv": rows.read_csv, ".jsonl": rows.read_jsonl}


def read(path: str | os.PathLike, columns: Columns,
         labels: tuple[str, ...] | None) -> LabelledTexts:
    """Reads a labelled table.

    The end of its name says what it is. The first line of .tsv (tabs; quotes mean nothing) and .csv
    (commas; fields in double quotes may hold anything) names the columns; every line of .jsonl is
    an object. Blanks around a label mean nothing. Rows without a text, a second text where there
    should be one, or a label are left out; the result names them.

    Args:
      path: the file, in UTF-8.
      columns: which columns to read.
      labels: names of the classes in the order of their ids; None for regression, where the
        labels are numbers.
    Raises:
      InputError: with file and line, for a file that cannot be read as a table (see `rows`), and a
        label that is not one of `labels`, or no finite number; and for a file of which all rows
        are left out.
    """
    whole, skipped = _rows(path, columns)
    return from_rows(path, whole, columns, labels, skipped=skipped)


def find_labels(paths: Sequence[str | os.PathLike], columns: Columns) -> tuple[str, ...]:
    """The classes of the training files, sorted: by value where all are numbers.

    Raises:
      InputError: as for `read`; and where there are fewer than two classes.
    """
    found = {label for path in paths for _, (label, *_) in _rows(path, columns)[0]}
    if len(found) < 2:
        raise InputError(f"every row of {', '.join(map(str, paths))} has the {columns.label} "
                         f"{', '.join(map(repr, found))}; a classifier needs two classes at least")
    return tuple(sorted(found, key=_number if all(map(_is_number, found)) else None))


def _rows(path, columns) -> tuple[list[tuple[int, list[str]]], list[LeftOut]]:
    """(line, [label, text, second text]) of every whole row, and the others."""
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        raise InputError(f"cannot tell what {path} is; its name should end in "
                         f"{', '.join(_READERS)}")
    whole, skipped = [], []
    for line, (label, *texts) in _READERS[suffix](path, (columns.label, *columns.texts)):
        if label.strip() and all(text.strip() for text in texts):
            whole.append((line, [label.strip(), *texts]))
        else:
            skipped.append(LeftOut(str(path), line, "no text or no label"))
    if not whole:
        raise InputError(f"no row of {path} has {' and '.join((*columns.texts, columns.label))}; "
                         "fill these columns, or name others")
    return whole, skipped


def _number(label):
    """By value, and by spelling where values are the same."""
    return float(label), label


def _is_number(label):
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False
