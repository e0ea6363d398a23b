"""Planning: files are read once, cut into parts at line ends, and fingerprinted."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from mobilebert_tf.data.corpus.text_files import TextFile, open_file
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.part import Part
from mobilebert_tf.inference.batch.piece import Piece
from mobilebert_tf.reasons import reason

# A part, with the answers to it, is in memory at once.
PART_BYTES = 4 << 20
MAX_LINE = 1 << 20


def plan(files: Sequence[TextFile], part_lines: int) -> tuple[list[Part], list[dict]]:
    """Cut files into parts; contents and `part_lines` alone decide.

    Args:
      files: the files, in the order of the output.
      part_lines: most lines of a part.
    Returns:
      the parts; and `name`, `bytes`, `lines` and `digest` of each file, which identify the input.
    Raises:
      InputError: if a file cannot be read.
    """
    pieces, inputs = [], []
    for file, name in zip(files, _names([file.path for file in files]), strict=True):
        found = hashlib.blake2b(digest_size=16)
        try:
            with open_file(file.path) as stream:
                of_file = [Piece(file.path, name, *numbers)
                           for numbers in _ranges(stream, part_lines, found.update)]
        except OSError as error:
            raise InputError(f"cannot read {file.path}: {reason(error)}") from error
        inputs.append({"name": name, "bytes": sum(piece.size for piece in of_file),
                       "lines": sum(piece.lines for piece in of_file),
                       "digest": found.hexdigest()})
        pieces += of_file
    return [Part(number, tuple(some)) for number, some in enumerate(
        _grouped(pieces, part_lines))], inputs


def lines(stream: BinaryIO, stop: int | None = None,
          see: Callable[[bytes], None] = lambda _: None) -> Iterator[tuple[bytes, int]]:
    """Yield (content, size in bytes) of the lines of a stream, from where it is.

    A line that is longer than `MAX_LINE` is cut to `MAX_LINE + 1` bytes, and never held in memory.

    Args:
      stream: an open file.
      stop: bytes after which to end; None for the end of the file.
      see: called with every byte that is read.
    """
    position = 0
    while (stop is None or position < stop) and (line := stream.readline(MAX_LINE + 1)):
        see(line)
        piece, size = line, len(line)
        while len(line) > MAX_LINE and not piece.endswith(b"\n"):
            if not (piece := stream.readline(MAX_LINE)):
                break
            see(piece)
            size += len(piece)
        position += size
        yield line, size


def _ranges(stream, part_lines, see):
    """Yield (start, stop, first line, lines) of the pieces of an open file."""
    start = position = count = 0
    first = 1
    for _, size in lines(stream, see=see):
        position += size
        count += 1
        if count == part_lines or position - start >= PART_BYTES:
            yield start, position, first, count
            start, first, count = position, first + count, 0
    if count:
        yield start, position, first, count


def _grouped(pieces, part_lines):
    """Yield consecutive pieces that fit into a part together."""
    some, count, size = [], 0, 0
    for piece in pieces:
        if some and (count + piece.lines > part_lines or size + piece.size > PART_BYTES):
            yield some
            some, count, size = [], 0, 0
        some.append(piece)
        count, size = count + piece.lines, size + piece.size
    if some:
        yield some


def _names(paths):
    """The paths without the directory that they share, so that a moved input is the same one.

    They are texts, which the name of a file on Linux need not be.
    """
    shared = os.path.commonprefix(paths).rpartition("/")[0]
    return [path[len(shared):].lstrip("/").encode("utf-8", "backslashreplace").decode()
            for path in paths]
