"""FileAnswers: what one file says about examples."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mobilebert_tf.evaluation.decisions import Decisions


@dataclasses.dataclass(frozen=True)
class FileAnswers:
    """What one file says about examples.

    Args:
      answers: one per example.
      lengths: of each example, the lengths at which its rows run.
      decisions: between the choices of the file's kind.
    """

    answers: list[Any]
    lengths: list[Sequence[int]]
    decisions: Decisions

    def times_ms(self, costs: Mapping[int, float]) -> np.ndarray:
        """Return the time of each example, if a run at each length takes `costs`."""
        return np.array([sum(costs[length] for length in lengths) for lengths in self.lengths])
