"""Decisions: what a model chose between, how sure it was of each choice, and which was right."""

import dataclasses

import numpy as np

from mobilebert_tf.evaluation.calibration import expected_calibration_error

# A float32 probability of 1 is taken as 1 minus this, half the distance to the next smaller float.
_LEAST_REST = 2.0 ** -25


@dataclasses.dataclass(frozen=True)
class Decisions:
    """Decisions between a number of choices, of which one is right.

    Args:
      logits: of each choice, float64 `(decisions, choices)`; their softmax are the probabilities.
      gold: the index of the right choice, int `(decisions,)`.
    """

    logits: np.ndarray
    gold: np.ndarray

    @classmethod
    def between_classes(cls, probabilities: np.ndarray, gold) -> "Decisions":
        """Make one decision a row of probabilities, `(rows, classes)`, with its right class."""
        smallest = np.finfo(np.float32).tiny
        return cls(np.log(np.maximum(np.asarray(probabilities, np.float64), smallest)),
                   np.asarray(gold, np.int64))

    @classmethod
    def yes_or_no(cls, probabilities: np.ndarray, gold) -> "Decisions":
        """Make one decision of every probability of a yes; `gold` is 1 where yes is right."""
        yes = np.clip(np.asarray(probabilities, np.float64).ravel(),
                      np.finfo(np.float32).tiny, 1 - _LEAST_REST)
        return cls(np.stack([np.log1p(-yes), np.log(yes)], axis=1),
                   np.asarray(gold, np.int64).ravel())

    def divided(self, temperature: float) -> "Decisions":
        """Return the same decisions with the logits divided by a temperature above 0."""
        return dataclasses.replace(self, logits=self.logits / temperature)

    @property
    def log_probabilities(self) -> np.ndarray:
        """The logarithm of each choice's probability, float64 `(decisions, choices)`."""
        shifted = self.logits - self.logits.max(axis=1, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))

    def negative_log_likelihood(self) -> float:
        """Return the mean of -log p of the right choice."""
        return float(-np.mean(self.log_probabilities[np.arange(len(self.gold)), self.gold]))

    def calibration_error(self, bins: int = 15) -> float:
        """Return the expected calibration error of the likeliest choices' probabilities."""
        return expected_calibration_error(
            np.exp(self.log_probabilities.max(axis=1)),
            self.logits.argmax(axis=1) == self.gold, bins)

    def best_temperature(self) -> float | None:
        """Return the temperature that makes the right choices likeliest; None if there is none.

        It minimizes the negative log likelihood (Guo et al. 2017, arXiv:1706.04599, section 4.2).
        In b = 1 / temperature that is a convex function, and its slope, the mean over the decisions
        of sum(p z) - z of the right choice, is 0 at one place. There is no such place if every
        decision is right, since b could grow for ever, or if decisions are no better than chance.
        """
        logits = self.logits - self.logits.max(axis=1, keepdims=True)
        right = logits[np.arange(len(self.gold)), self.gold]

        def slope(factor):
            weights = np.exp(factor * logits)
            expected = (weights * logits).sum(axis=1) / weights.sum(axis=1)
            return float(np.mean(expected - right))

        if not right.any() or slope(0.0) >= 0:
            return None
        low = high = 1.0
        while slope(low) > 0:
            low /= 2
        while slope(high) < 0:
            high *= 2
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        return 2 / (low + high)
