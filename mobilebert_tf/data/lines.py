"""The lines of a user's text file, packed or not."""

import contextlib
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO, TextIO

from mobilebert_tf.errors import InputError

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_COMPRESSED = ".gz"


def read(path: str | os.PathLike) -> Iterator[tuple[int, str]]:
    """Yield (number, line with its line end) of a UTF-8 file, without the byte order mark.

    A file whose name ends in .gz is unpacked while it is read. Only a line feed ends a line; U+2028
    and the like are part of the text. Empty lines at the end of the file are left out.

    Raises:
      InputError: if the file cannot be read or unpacked; with the number, if a line is not UTF-8 or
        holds a NUL byte.
    """
    opened = gzip.open if is_compressed(path) else open
    try:
        with opened(path, "rb") as file:
            yield from decoded(file, path)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"cannot unpack {path}: it is not a whole gzip file ({error})") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def decoded(stream: BinaryIO, name: str | os.PathLike) -> Iterator[tuple[int, str]]:
    """Yield the lines of an open stream as `read` does; messages call it `name`."""
    empty = []
    for number, line in enumerate(stream, 1):
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        empty.append((number, _decoded(name, number, line)))
        if line.strip(b"\r\n"):
            yield from empty
            empty.clear()


@contextlib.contextmanager
def written(path: str | os.PathLike) -> Iterator[TextIO]:
    """Yield a new UTF-8 file that `read` reads; packed if its name ends in .gz.

    The same text gives the same bytes: no date and no name is packed with it.

    Raises:
      OSError: if it cannot be written.
    """
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(open(path, "wb"))
        if is_compressed(path):
            file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        yield stack.enter_context(io.TextIOWrapper(file, "utf-8", newline=""))


def is_compressed(path: str | os.PathLike) -> bool:
    """Whether `read` unpacks the file: whether its name ends in .gz."""
    return PurePath(path).suffix.lower() == _COMPRESSED


def suffix(path: str | os.PathLike) -> str:
    """The ending of a file's name in lower case, without .gz: ".tsv" of "a.tsv.gz"."""
    path = PurePath(path)
    return (path.with_suffix("") if is_compressed(path) else path).suffix.lower()


def _decoded(path, number, line):
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}, line {number} is not UTF-8: there is a byte "
                         f"0x{line[error.start]:02X}; save the file as UTF-8") from error
    if "\0" in text:
        raise InputError(f"{path}, line {number} holds a NUL byte; save the file as text in UTF-8")
    return text
