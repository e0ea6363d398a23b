"""Result: the best epoch of fine-tuning, and the scores of all."""

import dataclasses
from typing import Annotated

import msgspec

from mobilebert_tf import records


@dataclasses.dataclass(frozen=True)
class FineTuningResult:
    """The result of fine-tuning.

    Args:
      best_epoch: number of the best epoch, from 1; the first one of several equally good.
      metric: name of the score that chose it.
      scores: the dev scores of that epoch.
      history: Keras's log of every epoch, with the dev scores as `val_<name>`.
    """

    best_epoch: Annotated[int, msgspec.Meta(ge=1)]
    metric: records.Text
    scores: dict[str, float]
    history: dict[str, list[float]]

    @property
    def score(self) -> float:
        return self.scores[self.metric]
