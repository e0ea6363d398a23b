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
# Bounds of the memory that a stranger's file takes, packed or not: far above a row of a table, and
# above every JSON file of questions (SQuAD's have 42 MB).
LONGEST_LINE = 1 << 26
_MOST_BYTES = 1 << 29
_BLOCK = 1 << 20


def read(path: str | os.PathLike) -> Iterator[tuple[int, str]]:
    """Yield (number, line with its line end) of a UTF-8 file, without the byte order mark.

    A file whose name ends in .gz is unpacked while it is read. Only a line feed ends a line; U+2028
    and the like are part of the text. Empty lines at the end of the file are left out. Every other
    empty line is returned as a line feed.

    Raises:
      InputError: if the file cannot be read or unpacked; with the number, if a line is not UTF-8,
        holds a NUL byte or is longer than `LONGEST_LINE` bytes.
    """
    with _opened(path) as file:
        yield from decoded(file, path)


def whole(path: str | os.PathLike) -> str:
    """Return the text of a file that `read` reads, in one piece and with all its lines.

    Raises:
      InputError: as `read` does, for lines of any length; and if the file holds more than 512 MB.
    """
    content = bytearray()
    with _opened(path) as file:
        while block := file.read(_BLOCK):
            content += block
            if len(content) > _MOST_BYTES:
                raise InputError(f"{path} holds more than {_MOST_BYTES >> 20} MB, which is too "
                                 "much for one JSON file; split it")
    return _decoded(path, 1, content.removeprefix(_BYTE_ORDER_MARK))


@contextlib.contextmanager
def _opened(path):
    opened = gzip.open if is_compressed(path) else open
    try:
        with opened(path, "rb") as file:
            yield file
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"cannot unpack {path}: it is not a whole gzip file ({error})") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def decoded(stream: BinaryIO, name: str | os.PathLike) -> Iterator[tuple[int, str]]:
    """Yield the lines of an open stream as `read` does; messages call it `name`."""
    number = empty = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise InputError(f"{name}, line {number} is longer than {LONGEST_LINE >> 20} MB; break "
                             "it into lines")
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line.strip(b"\r\n"):
            empty += 1
            continue
        yield from ((before, "\n") for before in range(number - empty, number))
        empty = 0
        yield number, _decoded(name, number, line)


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


def _decoded(path, number, content):
    """Decode lines, of which the first one has this number."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{_place(path, number, content, error.start)} is not UTF-8: there is a "
                         f"byte 0x{content[error.start]:02X}; save the file as UTF-8") from error
    if "\0" in text:
        raise InputError(f"{_place(path, number, content, content.index(0))} holds a NUL byte; "
                         "save the file as text in UTF-8")
    return text


def _place(path, number, content, position):
    number += content.count(b"\n", 0, position)
    return f"{path}, line {number}"
