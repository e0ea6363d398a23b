"""Rows of TSV, CSV and JSON Lines files, with the line that each begins on."""

import csv
import json
import os
from collections.abc import Iterator, Sequence

from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets import json_strings
from mobilebert_tf.errors import InputError

Row = tuple[int, list[str]]

# Characters of a field of CSV, for which the csv module's own limit is 131,072: as many as a C
# long holds everywhere.
_LONGEST_FIELD = 2**31 - 1


def read_tsv(path: str | os.PathLike, columns: Sequence[str],
             header: Sequence[str] | None = None, keep_short: bool = False
             ) -> Iterator[tuple[int, list[str] | None]]:
    """Yields (line, values of these columns) of every row; quotes mean nothing.

    Args:
      path: the file, in UTF-8, with or without a byte order mark.
      columns: names of the columns to return, in this order.
      header: names of all columns, where the file has no header line.
      keep_short: yield (line, None) for a row with too few columns, instead of raising.
    Raises:
      InputError: for a file that is missing, not UTF-8, holds NUL bytes or has no rows, a header
        line without these columns, or a row with another number of columns than there are names;
        all with file and line.
    """
    rows = ((number, line.removesuffix("\n").removesuffix("\r").split("\t"))
            for number, line in lines.read(path))
    return _chosen(path, rows, columns, header, keep_short)


def read_csv(path: str | os.PathLike, columns: Sequence[str]) -> Iterator[Row]:
    """Yields (line, values of these columns) of every row below the header line.

    As Python's csv module reads it: commas; fields in double quotes may hold commas and newlines,
    and a quote in them is doubled.

    Args, Raises: as for `read_tsv`; and InputError for quotes that do not match.
    """
    return _chosen(path, _csv_rows(path), columns)


def read_jsonl(path: str | os.PathLike, columns: Sequence[str]) -> Iterator[Row]:
    """Yields (line, values of these keys) of every line, which is a JSON object.

    Strings are as they are; numbers and true and false as JSON spells them. null is an empty
    string, as an empty field of TSV and CSV is.

    Args, Raises: as for `read_tsv`; and InputError for a line that is no JSON object, or a value
      that is a list or an object.
    """
    number = 0
    for number, line in lines.read(path):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}, line {number} is not JSON: {error}; every line should be "
                             f"an object") from error
        if not isinstance(found, dict):
            raise InputError(f"{path}, line {number} should be a JSON object, "
                             f"{{{', '.join(f'{json.dumps(name)}: ...' for name in columns)}}}")
        yield number, [_value(path, number, found, column) for column in columns]
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
    csv.field_size_limit(_LONGEST_FIELD)
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


def _value(path, line, found, column):
    _check_there(f"{path}, line {line}", column, found)
    value = found[column]
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if not isinstance(value, str):
        raise InputError(f"{path}, line {line}: {column!r} is {json.dumps(value)[:40]}; it should "
                         f"be a string or a number")
    json_strings.check(f"{path}, line {line}", column, value)
    return value


def _check_there(place, column, names):
    if column not in names:
        raise InputError(f"{place}: there is no column {column!r}; there are "
                         f"{', '.join(map(repr, names))}")
