"""Scores of single-label classification."""

import numpy as np


def accuracy(predicted, labels) -> float:
    """Part of the predictions that equal the label.

    Args:
      predicted, labels: class ids, the same number of each and at least one.
    Raises:
      ValueError: for different numbers of them, or none.
    """
    predicted, labels = _checked(predicted, labels)
    return float(np.mean(predicted == labels))


def matthews(predicted, labels) -> float:
    """Matthews correlation coefficient, by scikit-learn as in GLUE's own code.

    1 is perfect, -1 always the other class; 0 is what the same answer to everything gets, however
    common its class. With more than two classes it is Gorodkin's (2004).

    Args, Raises: as for `accuracy`.
    """
    from sklearn import metrics  # a second that only those who score should wait

    predicted, labels = _checked(predicted, labels)
    return float(metrics.matthews_corrcoef(labels, predicted))


def _checked(predicted, labels):
    predicted, labels = np.asarray(predicted), np.asarray(labels)
    if predicted.shape != labels.shape or not len(labels):
        raise ValueError(f"`predicted` and `labels` should have one entry an example. "
                         f"Received: shapes {predicted.shape} and {labels.shape}")
    return predicted, labels
