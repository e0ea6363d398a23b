"""EmbeddingWork: a vector for each row."""

import dataclasses
from typing import ClassVar

import numpy as np

from mobilebert_tf.inference.batch.answer import RowAnswer
from mobilebert_tf.inference.predict import embedded
from mobilebert_tf.kinds.embedding import Embedding

# Rows that are run at once: a file of the kind encoding gives a state of each of their tokens.
_CHUNK = 64


@dataclasses.dataclass(frozen=True)
class EmbeddingWork:
    """Embeds rows, as `embed` does; it is a `Work`."""

    kind: ClassVar = Embedding

    @property
    def description(self) -> dict:
        return {"command": "embed"}

    def check(self, runner, pairs):
        embedded(runner, ["a"])

    def run(self, runner, rows):
        found = []
        for start in range(0, len(rows), _CHUNK):
            some = rows[start:start + _CHUNK]
            found += map(_outcome, some, *embedded(runner, [row.text for row in some]))
        return found


def _outcome(row, vector, empty, truncated):
    if empty:
        return row.bad("empty", "the text has no tokens")
    if not np.isfinite(vector).all():
        return row.bad("not_finite", "the model gives numbers that are not finite")
    return RowAnswer(row, {"truncated": truncated}, vector)
