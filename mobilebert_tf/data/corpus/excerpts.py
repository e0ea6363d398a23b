"""Excerpts: parts of text files, in random order, and their documents."""

from collections import Counter
from collections.abc import Sequence

from mobilebert_tf.data.corpus.excerpt import Excerpt
from mobilebert_tf.data.corpus.text_files import TextFile, digest

# Excerpts are shuffled. Small ones mix many files in a shard; but a little is lost at their ends.
EXCERPT_BYTES = 128 << 10


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
