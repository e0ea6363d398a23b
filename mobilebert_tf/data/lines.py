"""The lines of a user's text file."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mobilebert_tf.errors import InputError

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read(path: str | os.PathLike) -> Iterator[tuple[int, str]]:
    """Yields (number, line with its end) of a UTF-8 file, the byte order mark left out.

    Only a line feed ends a line: U+2028 and the like may stand in a text. Empty lines at the end
    of the file are left out.

    Raises:
      InputError: for a file that cannot be read, and with its number for a line that is not UTF-8
        or holds a NUL byte.
    """
    try:
        with Path(path).open("rb") as file:
            yield from decoded(file, path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def decoded(stream: BinaryIO, name: str | os.PathLike) -> Iterator[tuple[int, str]]:
    """What `read` yields, of an open stream; `name` is what messages call it."""
    empty = []
    for number, line in enumerate(stream, 1):
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        empty.append((number, _decoded(name, number, line)))
        if line.strip(b"\r\n"):
            yield from empty
            empty.clear()


def _decoded(path, number, line):
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}, line {number} is not UTF-8: there is a byte "
                         f"0x{line[error.start]:02X}; save the file as UTF-8") from error
    if "\0" in text:
        raise InputError(f"{path}, line {number} holds a NUL byte; save the file as text in UTF-8")
    return text
