"""Excerpts: parts of text files, in random order, and their documents."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

from mobilebert_tf.data.corpus.text_files import TextFile, digest, open_file

# Excerpts are shuffled. Small ones mix many files in a shard; but a little is lost at their ends.
EXCERPT_BYTES = 128 << 10
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

    def read(self, counters: Counter) -> Iterator["Text"]:
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


@dataclasses.dataclass(frozen=True)
class Text:
    """A document, or the part of one in an excerpt: paragraphs of lines."""

    key: bytes
    paragraphs: list[list[str]]


def shuffled_excerpts(files: Sequence[TextFile], document: str, seed: int) -> list[Excerpt]:
    """Cut files into excerpts, in an order that depends on their contents and the seed alone."""
    ordered = []
    for file in files:
        key = file.key if document == "file" else None
        for start in range(0, file.size, EXCERPT_BYTES):
            stop = min(start + EXCERPT_BYTES, file.size)
            ordered.append((digest(seed, file.key, start), Excerpt(file.path, start, stop, key)))
    ordered.sort(key=lambda entry: entry[0])
    return [excerpt for _, excerpt in ordered]


def sample(files: Sequence[TextFile], most: int, seed: int) -> tuple[list[str], Counter]:
    """Read random excerpts of all files, up to `most` bytes.

    Returns:
      The blocks, and counters: `bytes` read and what was skipped.
    """
    texts, counters = [], Counter(bytes=0)
    counters["skipped_empty_files"] = sum(not file.size for file in files)
    for excerpt in shuffled_excerpts(files, "file", seed):
        if counters["bytes"] + excerpt.size > most:
            break
        counters["bytes"] += excerpt.size
        for text in excerpt.read(counters):
            texts += [" ".join(map(str.strip, lines)) for lines in text.paragraphs]
    return texts, counters


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
