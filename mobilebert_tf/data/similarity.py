"""STS-B's official TSV files: pairs of sentences with how alike people found them."""

import dataclasses
import os
from pathlib import Path

from mobilebert_tf.data.glue import read_rows
from mobilebert_tf.errors import InputError

FIRST_COLUMN, SECOND_COLUMN, SCORE_COLUMN = "sentence1", "sentence2", "score"


@dataclasses.dataclass(frozen=True)
class ScoredPairs:
    """Pairs in the order of the file; scores are 0 (unrelated) to 5 (the same)."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: tuple[float, ...]


def read(path: str | os.PathLike) -> ScoredPairs:
    """Reads a TSV file with the columns sentence1, sentence2 and score.

    Raises:
      InputError: see `glue.read_rows`; and for a score that is no number.
    """
    path = Path(path)
    first, second, scores = [], [], []
    for number, row in read_rows(path, (FIRST_COLUMN, SECOND_COLUMN, SCORE_COLUMN)):
        try:
            scores.append(float(row[2]))
        except ValueError as error:
            raise InputError(f"{path}, line {number}: the score {row[2]!r} is not a number"
                             ) from error
        first.append(row[0])
        second.append(row[1])
    return ScoredPairs(tuple(first), tuple(second), tuple(scores))
