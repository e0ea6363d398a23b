"""Rows of TSV, CSV and JSON Lines files, with the line that each begins on."""

import csv
import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mobilebert_tf import records
from mobilebert_tf.data import lines
from mobilebert_tf.errors import InputError

Row = tuple[int, list[str]]

# Stands between the labels of a cell that may hold several.
LABEL_SEPARATOR = "|"


class LeftOut(NamedTuple):
    """A row of a file that is not used as an example.

    Args:
      file: the file's path.
      line: the line on which the row begins.
      reason: what the row has, such as "no text or no label".
    """

    file: str
    line: int
    reason: str


def read_tsv(path: str | os.PathLike, columns: Sequence[str],
             header: Sequence[str] | None = None, keep_short: bool = False
             ) -> Iterator[tuple[int, list[str] | None]]:
    """Yield (line, values of these columns) for every row; quotes are ordinary characters.

    Args:
      path: the file, in UTF-8, with or without a byte order mark.
      columns: names of the columns to return, in this order.
      header: names of all columns, if the file has no header line.
      keep_short: yield (line, None) for a row with too few columns instead of raising.
    Raises:
      InputError: with file and line, if the file is missing, not UTF-8, holds NUL bytes, a line
        that is too long (see `lines.read`) or no rows; if its header line lacks one of these
        columns; or if a row has more or fewer columns than the header.
    """
    rows = ((number, line.removesuffix("\n").removesuffix("\r").split("\t"))
            for number, line in lines.read(path))
    return _chosen(path, rows, columns, header, keep_short)


def read_csv(path: str | os.PathLike, columns: Sequence[str]) -> Iterator[Row]:
    """Yield (line, values of these columns) for every row below the header line.

    Commas separate fields. A field in double quotes may hold commas and newlines; a quote inside
    it is doubled. Python's csv module reads the file.

    Args, Raises: as for `read_tsv`; and InputError for quotes that do not match.
    """
    return _chosen(path, _csv_rows(path), columns)


def read_jsonl(path: str | os.PathLike, columns: Sequence[str],
               list_column: str | None = None) -> Iterator[Row]:
    """Yield (line, values of these keys) for every line, which is a JSON object.

    Numbers, true and false become text, spelled as in JSON. null becomes an empty string, as an
    empty field of TSV and CSV does.

    Args:
      path, columns: as for `read_tsv`.
      list_column: a column whose values may be lists of labels. They are joined with `|`, as TSV
        and CSV hold them.
    Raises:
      InputError: as for `read_tsv`; and if a line is no JSON object, a value is an object, a list
        stands in another column than `list_column`, or a label in `list_column` holds `|`.
    """
    number = 0
    for number, line in lines.read(path):
        try:
            found = json.loads(line, object_pairs_hook=_without_repetition,
                               parse_constant=_no_constant, parse_float=_finite)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}, line {number} is not JSON: {error}; every line should be "
                             "an object") from error
        if not isinstance(found, dict):
            raise InputError(f"{path}, line {number} should be a JSON object, "
                             f"{{{', '.join(f'{json.dumps(name)}: ...' for name in columns)}}}")
        yield number, [_value(f"{path}, line {number}", found, column, column == list_column)
                       for column in columns]
    if not number:
        raise InputError(f"{path} is empty")


def _chosen(path, rows, columns, header=None, keep_short=False):
    first_row = 1
    if header is None:
        first_row, header = next(rows, (1, None))
        if header is None:
            raise InputError(f"{path} is empty")
        names = f"the header has {len(header)}"
        for column in columns:
            _check_there(f"{path}, line {first_row}", column, header)
            if header.count(column) > 1:
                raise InputError(f"{path}, line {first_row} names the column {column!r} more than "
                                 "once: give each column a name of its own")
    else:
        names = f"there should be {len(header)}: {', '.join(header)}"
    places = [header.index(column) for column in columns]
    number = None
    for number, row in rows:
        if len(row) == len(header):
            yield number, [row[place] for place in places]
        elif keep_short and len(row) < len(header):
            yield number, None
        else:
            raise InputError(f"{path}, line {number} has {len(row)} columns, {names}")
    if number is None:
        raise InputError(f"{path} has no rows")


def _csv_rows(path):
    # By default 131,072 characters. With no limit, a quote that is never closed takes all memory.
    csv.field_size_limit(lines.LONGEST_LINE)
    reader = csv.reader((line for _, line in lines.read(path)), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{path}, line {start} begins a row that is not CSV: {error}; put "
                             f"fields with commas, quotes or newlines in double quotes, and "
                             f"double the quotes in them") from error
        if row is None:
            return
        yield start, row


def label_text(place: str, column: str, value: Any) -> str:
    """Return the text of a JSON value that is a label, or a list of labels.

    The labels of a list are joined with `|`. A number, true and false are spelled as in JSON; null
    is an empty text.

    Args:
      place, column: of the value, for messages.
    Raises:
      InputError: for an object, a label with `|` in it, and an empty one among several.
    """
    values = value if isinstance(value, list) else [value]
    labels = [value_text(place, column, one) for one in values]
    for label in labels:
        if LABEL_SEPARATOR in label:
            raise InputError(f"{place}: the label {label!r} in {column!r} holds "
                             f"{LABEL_SEPARATOR!r}, which separates labels; rename the label")
        if len(labels) > 1 and not label.strip():
            raise InputError(f"{place}: {column!r} holds an empty label; remove it")
    return LABEL_SEPARATOR.join(labels)


def _without_repetition(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is in it twice")
    return found


def _no_constant(name):
    raise ValueError(f"{name} is no JSON value; write null for a missing one")


def _finite(number):
    found = float(number)
    if not math.isfinite(found):
        raise ValueError(f"the number {number} is too large")
    return found


def _value(place, found, column, may_be_list):
    _check_there(place, column, found)
    return (label_text if may_be_list else value_text)(place, column, found[column])


def value_text(place: str, column: str, value: Any) -> str:
    """Return the text of a JSON value: numbers, true and false as in JSON, null as an empty text.

    Args, Raises: as of `label_text`; and InputError for a list, and characters that no text has.
    """
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if not isinstance(value, str):
        raise InputError(f"{place}: {column!r} is {json.dumps(value)[:40]}; it should be a string "
                         "or a number")
    records.check_characters(place, column, value)
    return value


def _check_there(place, column, names):
    if column not in names:
        raise InputError(f"{place}: there is no column {column!r}; there are "
                         f"{', '.join(map(repr, names))}")


# The end of a file's name -> the function that reads its rows.
READERS = {".tsv": read_tsv, ".csv": read_csv, ".jsonl": read_jsonl}
