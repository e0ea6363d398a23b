"""Users' own tables of labelled texts: TSV, CSV and JSON Lines files with named columns."""

import math
import os
from collections.abc import Sequence

from mobilebert_tf import records
from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets import rows
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import (
    LabelledTexts,
    class_of,
    classes_of,
    from_rows,
    number,
    split_labels,
)
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError


def read(path: str | os.PathLike, columns: Columns,
         labels: tuple[str, ...] | None) -> LabelledTexts:
    """Read a table with one label, or one number, a text.

    The end of the file's name tells its format. In .tsv (tabs; quotes are ordinary characters) and
    .csv (commas; a field in double quotes may hold anything) the first line names the columns. In
    .jsonl every line is a JSON object. A further .gz means that the file is compressed. Blanks
    around a label are ignored. Rows that lack a text, a second text (if `columns` names one) or a
    label are left out and listed in `skipped`.

    Args:
      path: the file, in UTF-8.
      columns: which columns to read.
      labels: names of the classes in the order of their ids; None for regression, where the
        labels are numbers.
    Raises:
      InputError: with file and line, if the file cannot be read as a table (see `rows`) or a label
        is not one of `labels`, or no finite number; and if no row is left.
    """
    whole, skipped = _rows(path, columns)
    return from_rows(path, whole, columns, number if labels is None else class_of(labels), labels,
                     skipped)


def find_labels(paths: Sequence[str | os.PathLike], columns: Columns) -> tuple[str, ...]:
    """Return the classes of the training files, sorted; by value if all are numbers.

    Raises:
      InputError: as for `read`; and if there are fewer than two classes.
    """
    return _sorted_classes(paths, columns, {
        label for path in paths for _, (label, *_) in _rows(path, columns)[0]})


def read_label_sets(path: str | os.PathLike, columns: Columns,
                    names: tuple[str, ...]) -> LabelledTexts:
    """Read a table with any number of labels a text.

    In .tsv and .csv, `|` separates the labels of a cell, and an empty cell has none. In .jsonl the
    labels are a list; a single string is one label. Rows without a label stay; rows without a text
    are left out and listed in `skipped`.

    Args:
      path, columns: as for `read`.
      names: names of the classes in the order of their ids.
    Returns:
      LabelledTexts with labels of 1.0 and 0.0, one for each class.
    Raises:
      InputError: as for `read`; and if one of several labels is empty.
    """
    whole, skipped = _rows(path, columns, has_label_sets=True)
    return from_rows(path, whole, columns, classes_of(names), names, skipped)


def find_label_sets(paths: Sequence[str | os.PathLike], columns: Columns) -> tuple[str, ...]:
    """Return the classes of training files with any number of labels a text.

    They are sorted as `find_labels` sorts them.

    Raises:
      InputError: as for `read_label_sets`; and if there are fewer than two classes.
    """
    tables = [from_rows(path, _rows(path, columns, has_label_sets=True)[0], columns, split_labels)
              for path in paths]
    return _sorted_classes(paths, columns, {
        label for table in tables for labels in table.labels for label in labels})


def _rows(path, columns, has_label_sets=False) -> tuple[list[tuple[int, list[str]]], list[LeftOut]]:
    """(line, [label, text, second text]) of every whole row, and the others."""
    suffix = lines.suffix(path)
    if suffix not in rows.READERS:
        raise InputError(f"cannot tell what {path} is; its name should end in "
                         f"{', '.join(rows.READERS)}, or one of these and .gz")
    options = {"list_column": columns.label} if has_label_sets and suffix == ".jsonl" else {}
    needed = columns.texts if has_label_sets else (*columns.texts, columns.label)
    reason = "no text" if has_label_sets else "no text or no label"
    whole, skipped = [], []
    for line, (label, *texts) in rows.READERS[suffix](
            path, (columns.label, *columns.texts), **options):
        if len(label.strip().splitlines()) > 1:
            raise InputError(f"{path}, line {line}: the label {records.quoted(label)} has a line "
                             "break, and the labels of a model are lines of a file")
        if len(label) > records.LONGEST_LABEL:
            raise InputError(f"{path}, line {line}: the label {records.quoted(label)} has "
                             f"{len(label):,} characters, more than {records.LONGEST_LABEL:,}; is "
                             f"{columns.label} the column of the labels?")
        if (has_label_sets or label.strip()) and all(text.strip() for text in texts):
            whole.append((line, [label.strip(), *texts]))
        else:
            skipped.append(LeftOut(str(path), line, reason))
    if not whole:
        raise InputError(f"no row of {path} has {' and '.join(needed)}; fill these columns, or "
                         "name others")
    return whole, skipped


def _sorted_classes(paths, columns, found):
    if len(found) < 2:
        raise InputError(f"the column {columns.label} of {', '.join(map(str, paths))} holds "
                         f"{'only ' + repr(found.pop()) if found else 'no class'}; a classifier "
                         "needs at least two classes")
    return tuple(sorted(found, key=_by_value if all(map(_is_number, found)) else None))


def _by_value(label):
    """Sort key: the value, then the spelling of equal values."""
    return float(label), label


def _is_number(label):
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False
