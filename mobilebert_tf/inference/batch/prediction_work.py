"""PredictionWork: what a model predicts for each row."""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.answer import RowAnswer
from mobilebert_tf.inference.batch.bad_row import BadRow
from mobilebert_tf.inference.batch.row import Row
from mobilebert_tf.inference.predictions import predictions
from mobilebert_tf.running.model_runner import ModelRunner


@dataclasses.dataclass(frozen=True)
class PredictionWork:
    """Predicts for rows, as `predict` does; it is a `Work`.

    Args:
      top_k: how many classes, pieces or answers are named.
      settings: of the kind, in place of the model's own.
    """

    kind: ClassVar = None

    top_k: int = 5
    settings: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def description(self) -> dict:
        # As text: a threshold may be infinite, which JSON has no number for.
        return {"command": "predict", "top_k": self.top_k,
                "settings": {name: str(value) for name, value in self.settings.items()}}

    def check(self, runner, pairs):
        text = runner.kind.shortest_text
        predictions(runner, [text], [text if pairs else None], self.top_k, self.settings)

    def run(self, runner, rows):
        return outcomes(runner, rows, self.top_k, self.settings)


def outcomes(runner: ModelRunner, rows: Sequence[Row], top_k: int, settings: dict[str, float],
             **options) -> list[RowAnswer | BadRow]:
    """Predict for rows; set those aside that get no prediction.

    Args:
      top_k, settings: as of `PredictionWork`.
      options: further ones of `predictions`.
    """
    texts, second_texts = [row.text for row in rows], [row.second_text for row in rows]
    try:
        return list(map(_outcome, rows, predictions(
            runner, texts, second_texts, top_k, settings, **options)))
    except InputError as error:
        # A row is refused, and all with it. Halves find it in few calls, and keep large batches.
        if len(rows) == 1:
            return [rows[0].bad("refused", str(error))]
        half = len(rows) // 2
        return [outcome for part in (rows[:half], rows[half:])
                for outcome in outcomes(runner, part, top_k, settings, **options)]


def _outcome(row, found):
    if found is None:
        return row.bad("not_finite", "the model gives numbers that are not finite")
    if "empty" in found:
        return row.bad("empty", " and ".join(f"the {part.replace('_', ' ')} has no tokens"
                                             for part in found["empty"]))
    return RowAnswer(row, found)
