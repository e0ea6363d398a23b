"""Confusion: which classes are taken for which."""

import dataclasses
from collections.abc import Sequence

import numpy as np


@dataclasses.dataclass(frozen=True)
class Confusion:
    """How often each class is taken for each.

    Args:
      labels: names of the classes in the order of their ids.
      counts: int `(classes, classes)`: rows are labels, columns are predictions.
      missing: int `(classes,)`: examples of each label without an answer.
    """

    labels: tuple[str, ...]
    counts: np.ndarray
    missing: np.ndarray

    @property
    def parts(self) -> np.ndarray:
        """The counts as parts of all examples of their row's label; 0 where there are none."""
        totals = self.counts.sum(axis=1) + self.missing
        return self.counts / np.maximum(totals, 1)[:, np.newaxis]

    def to_dict(self) -> dict:
        """As JSON has it."""
        return {"labels": list(self.labels), "counts": self.counts.tolist(),
                "missing": self.missing.tolist()}


def of(predicted: Sequence[int], labels: Sequence[int], names: tuple[str, ...]) -> Confusion:
    """The confusion of predictions, by scikit-learn.

    Args:
      predicted, labels: class ids, the same number of each; a prediction of -1 is a missing answer.
      names: of the classes.
    """
    from sklearn import metrics  # a second that only those who score should wait

    predicted, labels = np.asarray(predicted), np.asarray(labels)
    counts = metrics.confusion_matrix(labels, predicted, labels=range(len(names)))
    missing = np.bincount(labels[predicted < 0], minlength=len(names))
    return Confusion(tuple(names), counts, missing)
