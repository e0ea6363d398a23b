"""Cascade: a small model, and a larger one that is asked where the small one is not sure."""

import os
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.checks import check_length, is_number
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.opening import open_model
from mobilebert_tf.inference.predictions import predictions
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.running.model_runner import ModelRunner


class Cascade:
    """Asks the first model, and the second where the first one's confidence is not high enough.

    The confidence is the kind's (`Kind.confidence`). For a class it is the probability, for several
    labels the product of the probabilities of all decisions. It tells how often an answer is right
    if the first model was exported with a temperature (`export_model(calibrate=True)`).

    Args:
      first: path of the smaller, faster model as `open_model` takes it; or an open model.
      second: the same of the larger one.
      threshold: the first answer stands if its confidence is above it. For classes, 0 never asks
        the second model, 1 always does.
      length, threads: of both, as `open_model` takes them.
    Attributes:
      first, second: the open models.
      threshold: as given.
      kind: of the first.
      length: the most tokens that both take.
    Raises:
      InputError: for models of different kinds or labels, a kind without decisions, and a threshold
        outside 0 to 1.

    Example:
      >>> cascade = mb.Cascade("small.tflite", "large.tflite", 0.9)  # doctest: +SKIP
      >>> mb.predict(cascade, ["a quiet film that stays with you"])  # doctest: +SKIP
    """

    def __init__(self, first: str | os.PathLike | ModelRunner,
                 second: str | os.PathLike | ModelRunner, threshold: float, *,
                 length: int | None = None, threads: int | None = None):
        if not is_number(threshold, 0, 1):
            raise InputError(f"the threshold of a cascade should be from 0 to 1. Received: "
                             f"{threshold}")
        check_length(length)
        self.first, self.second = (
            open_model(model, length, threads) if isinstance(model, str | os.PathLike) else model
            for model in (first, second))
        for name, model in (("first", self.first), ("second", self.second)):
            if not hasattr(model, "kind"):
                raise InputError(f"{name} should be a path, or a model that open_model opened. "
                                 f"Received: a {type(model).__name__}")
        self.first.kind.require_same_decisions(self.second.kind)
        self.threshold, self.kind = threshold, self.first.kind
        self.length = min(self.first.length, self.second.length)

    def predictions(self, texts: Sequence[str], second_texts: Sequence[str | None], top_k: int,
                    settings: dict[str, float] | None = None) -> list[dict | None]:
        """Predict as `predictions.predictions` does.

        Returns:
          a dict per text with two entries more: `answered_by`, "first" or "second"; and
          `confidence` of that model's answer, unless the text has no tokens. The second model is
          asked where the first gives numbers that are not finite, and not where a text is empty.
        """
        found = [_named(one, "first") for one in predictions(
            self.first, texts, second_texts, top_k, settings, _confidence)]
        asked = [number for number, one in enumerate(found) if self._is_unsure(one)]
        if asked:
            again = predictions(
                self.second, [texts[number] for number in asked],
                [second_texts[number] for number in asked], top_k, settings, _confidence)
            for number, one in zip(asked, again, strict=True):
                found[number] = _named(one, "second")
        return found

    def model_of(self, prediction: dict) -> ModelRunner:
        """Return the model that gave a prediction."""
        return getattr(self, prediction["answered_by"])

    def _is_unsure(self, prediction):
        if prediction is None:
            return True
        return "empty" not in prediction and prediction["confidence"] <= self.threshold


def is_cascade(path: str | os.PathLike) -> bool:
    """Return whether a path names a cascade's JSON file."""
    return Path(path).suffix == ".json"


def read(path: str | os.PathLike, length: int | None = None, threads: int | None = None) -> Cascade:
    """Open the cascade that `mobilebert cascade` wrote.

    Args:
      path: of the JSON file.
      length, threads: as `Cascade` takes them.
    Raises:
      InputError: for a file that is no cascade, and models that are missing or not those for which
        the threshold was chosen.
    """
    from mobilebert_tf.export.cascade import cascade_file

    found = cascade_file.read(path)
    return Cascade(*found.models, found.threshold, length=length, threads=threads)


def _confidence(kind: Kind, answer) -> dict:
    return {"confidence": kind.confidence(answer)}


def _named(prediction, which):
    return prediction and {**prediction, "answered_by": which}
