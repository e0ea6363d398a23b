"""STS-B's official TSV files: pairs of sentences with how alike people found them."""

import dataclasses
import os

from mobilebert_tf.data import glue


@dataclasses.dataclass(frozen=True)
class ScoredPairs:
    """Pairs in the order of the file; scores are 0 (unrelated) to 5 (the same)."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: tuple[float, ...]


def read(path: str | os.PathLike) -> ScoredPairs:
    """Reads a TSV file with the columns sentence1, sentence2 and score.

    Raises:
      InputError: see `glue.read`.
    """
    examples = glue.read(path, glue.task("stsb"))
    return ScoredPairs(examples.texts, examples.pairs, examples.labels)
