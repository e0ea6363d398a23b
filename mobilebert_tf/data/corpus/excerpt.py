"""Excerpt: a part of a text file."""

import dataclasses
from collections import Counter
from collections.abc import Iterator

from mobilebert_tf.data.corpus.text import Text
from mobilebert_tf.data.corpus.text_files import digest, open_file

MAX_LINE = MAX_BLOCK = 1 << 20


@dataclasses.dataclass(frozen=True)
class Excerpt:
    """The lines, or the blocks, of a file that begin in a range of its bytes.

    Args:
      path: the file.
      start: first byte.
      stop: the byte after the last.
      key: the key of the document that the excerpt is part of; None if its blocks are documents.
    """

    path: str
    start: int
    stop: int
    key: bytes | None = None

    @property
    def source(self) -> str:
        return self.path

    @property
    def size(self) -> int:
        return self.stop - self.start

    def read(self, counters: Counter) -> Iterator[Text]:
        """Yield the excerpt's documents, or the part of a document that it is.

        Skip and count lines that are not UTF-8 or too long, and the rest of a block that is too
        long.
        """
        with open_file(self.path) as file:
            blocks = _blocks(file, self, counters)
            if self.key is not None:
                yield Text(self.key, list(blocks))
                return
            for block in blocks:
                yield Text(digest(block), [block])


def _blocks(file, excerpt, counters):
    """Yield the blocks of an excerpt, as lists of lines.

    If a file is a document, the excerpt has the lines that begin in it. If blocks are documents, a
    block belongs to the excerpt in which the blank line before it begins, and is read to its end.
    """
    whole_blocks = excerpt.key is None
    inside = whole_blocks and excerpt.start > 0  # of a block that an earlier excerpt reads
    block, size = [], 0
    for begin, line in _lines(file, excerpt, counters):
        is_blank = line is not None and not line.strip()
        if begin >= excerpt.stop and (not whole_blocks or is_blank or inside):
            break
        if is_blank:
            if block:
                yield block
            block, size, inside = [], 0, False
        elif inside or line is None:
            continue
        elif whole_blocks and size + len(line) > MAX_BLOCK:
            counters["skipped_lines_of_long_blocks"] += 1
        else:
            size += len(line)
            _append(block, line, counters)
    if block:
        yield block


def _append(block, line, counters):
    try:
        block.append(line.decode("utf-8"))
    except UnicodeDecodeError:
        counters["skipped_lines_not_utf8"] += 1


def _lines(file, excerpt, counters):
    """Yield (position, line) from the first line that begins in the excerpt to the file's end.

    A line that is too long is None, and is never held in memory.
    """
    position = excerpt.start
    if position:
        file.seek(position - 1)
        rest = file.readline(MAX_LINE)
        position += len(rest) - 1
        while rest and not rest.endswith(b"\n"):
            if position >= excerpt.stop:
                return
            rest = file.readline(MAX_LINE)
            position += len(rest)
    while line := file.readline(MAX_LINE + 1):
        begin = position
        position += len(line)
        if len(line) > MAX_LINE:
            if begin < excerpt.stop:
                counters["skipped_lines_too_long"] += 1
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE)
                position += len(line)
            line = None
        elif begin == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")
        yield begin, line
