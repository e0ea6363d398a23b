"""Scores of single-label classification."""

import numpy as np


def accuracy(predicted, labels) -> float:
    """Part of the predictions that equal the label.

    Args:
      predicted, labels: class ids, the same number of each and at least one.
    Raises:
      ValueError: for different numbers of them, or none.
    """
    predicted, labels = np.asarray(predicted), np.asarray(labels)
    if predicted.shape != labels.shape or not len(labels):
        raise ValueError(f"`predicted` and `labels` should have one entry an example. "
                         f"Received: shapes {predicted.shape} and {labels.shape}")
    return float(np.mean(predicted == labels))
