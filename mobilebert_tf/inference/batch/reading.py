"""Reading: the rows of a part, and the bad ones among them."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import msgspec

from mobilebert_tf import records
from mobilebert_tf.data import lines as text_lines
from mobilebert_tf.data.corpus.text_files import open_file
from mobilebert_tf.data.datasets.rows import value_text
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import planning
from mobilebert_tf.inference.batch.bad_row import BadRow
from mobilebert_tf.inference.batch.part import Part
from mobilebert_tf.inference.batch.piece import Piece
from mobilebert_tf.inference.batch.row import Row
from mobilebert_tf.reasons import reason

_JSON_LINES = ".jsonl"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Record(msgspec.Struct):
    """A line of a .jsonl file; it may have other fields, which are not read."""

    text: str | int | float | bool
    id: str | int | None = None
    second_text: str | int | float | bool | None = None
    label: Any = msgspec.UNSET


def read(part: Part, pairs: bool, second_text: str | None) -> list[Row | BadRow]:
    """Read the rows of a part, in their order.

    Args:
      part: of text files with a row a line, or of .jsonl files with an object a line.
      pairs: whether each row has two texts: with a tab between them, or in `second_text`.
      second_text: the second text of all rows; None if they have their own, or none.
    Raises:
      InputError: if a file cannot be read.
    """
    found = []
    for piece in part.pieces:
        parse = _record if text_lines.suffix(piece.path) == _JSON_LINES else _line
        try:
            with open_file(piece.path) as stream:
                found += [_row(content, piece, number, parse, pairs, second_text)
                          for number, content in _lines(stream, piece)]
        except OSError as error:
            raise InputError(f"cannot read {piece.path}: {reason(error)}") from error
    return found


def _lines(stream: BinaryIO, piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line without its end) of a piece of an open file."""
    stream.seek(piece.start)
    for number, (content, _) in enumerate(planning.lines(stream, piece.size), piece.first_line):
        if number == 1:
            content = content.removeprefix(_BYTE_ORDER_MARK)
        yield number, content.rstrip(b"\r\n")


def _row(content: bytes, piece: Piece, number: int, parse: Callable, pairs: bool,
         second_text: str | None) -> Row | BadRow:
    name, place = f"{piece.name}:{number}", f"{piece.name}, line {number}"

    def bad(counter, reason):
        return BadRow(name, place, counter, reason,
                      content[:1000].decode("utf-8", "backslashreplace"))

    if len(content) > planning.MAX_LINE:
        return bad("too_long", f"the line is longer than {planning.MAX_LINE:,} bytes")
    if not content.strip():
        return bad("blank", "the line is blank")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return bad("not_utf8", f"not UTF-8: there is a byte 0x{content[error.start]:02X}")
    if "\0" in text:
        return bad("nul", "the line holds a NUL byte")
    try:
        row = parse(name, place, text, pairs)
    except InputError as error:
        return bad("misread", str(error))
    return row if second_text is None else dataclasses.replace(row, second_text=second_text)


def _line(name, place, text, pairs):
    texts = text.split("\t") if pairs else [text]
    if pairs and len(texts) != 2:
        raise InputError(f"a pair has one tab between its texts; the line has {len(texts) - 1}")
    return Row(name, place, *texts)


def _record(name, place, text, pairs):
    record = records.decode(text.encode(), _Record, "the line")
    if pairs != (record.second_text is not None):
        raise InputError("a pair needs second_text; the line has none" if pairs else
                         "the line has second_text, and no pairs were asked for")
    first, second = (None if value is None else value_text(place, column, value)
                     for column, value in (("text", record.text),
                                           ("second_text", record.second_text)))
    if "\0" in first + (second or ""):
        raise InputError("a text holds a NUL character")
    return Row(name if record.id is None else str(record.id), place, first, second, record.label)
