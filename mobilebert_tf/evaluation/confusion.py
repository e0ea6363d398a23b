"""Confusion: how often each class is predicted for each label."""

import dataclasses
from collections.abc import Sequence

import numpy as np

# Of a picture, and of JSON. The counts grow with the square of the classes: with more, a picture
# would take gigabytes, and nobody could read it.
MOST_CLASSES = 500


@dataclasses.dataclass(frozen=True)
class Confusion:
    """How often each class is predicted for each label.

    Args:
      labels: names of the classes in the order of their ids.
      counts: int `(classes, classes)`; rows are labels, columns are predictions.
      missing: int `(classes,)`; examples of each label without an answer.
    """

    labels: tuple[str, ...]
    counts: np.ndarray
    missing: np.ndarray

    @property
    def parts(self) -> np.ndarray:
        """The counts as fractions of all examples with the row's label; 0 if there are none."""
        totals = self.counts.sum(axis=1) + self.missing
        return self.counts / np.maximum(totals, 1)[:, np.newaxis]

    def to_dict(self) -> dict:
        """Return the confusion for JSON."""
        return {"labels": list(self.labels), "counts": self.counts.tolist(),
                "missing": self.missing.tolist()}


def of(predicted: Sequence[int], labels: Sequence[int], names: tuple[str, ...]) -> Confusion:
    """Return the confusion of predictions, by scikit-learn.

    Args:
      predicted, labels: class ids, as many of each; a prediction of -1 is a missing answer.
      names: names of the classes in the order of their ids.
    """
    from sklearn import metrics  # takes a second to import

    predicted, labels = np.asarray(predicted), np.asarray(labels)
    counts = metrics.confusion_matrix(labels, predicted, labels=range(len(names)))
    missing = np.bincount(labels[predicted < 0], minlength=len(names))
    return Confusion(tuple(names), counts, missing)
