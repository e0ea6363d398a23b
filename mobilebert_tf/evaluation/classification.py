"""Scores of single-label classification."""

import numpy as np


def accuracy(predicted, labels) -> float:
    """Part of the predictions that equal the label.

    Args:
      predicted, labels: class ids, the same number of each and at least one. A prediction of -1
        is no class, and wrong.
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
    if len(np.unique(np.concatenate([predicted, labels]))) == 1:
        return 0.0  # scikit-learn's answer too, but it warns
    return float(metrics.matthews_corrcoef(labels, predicted))


def f1(predicted, labels) -> float:
    """F1 of class 1, by scikit-learn as in GLUE's own code; 0 where nobody says 1.

    Args, Raises: as for `accuracy`.
    """
    return _mean_f1(predicted, labels, [1])


def macro_f1(predicted, labels) -> float:
    """Mean of the F1 of all classes that are a label or a prediction, by scikit-learn.

    Args, Raises: as for `accuracy`.
    """
    found = np.unique(np.concatenate([predicted, labels]))
    return _mean_f1(predicted, labels, found[found >= 0])


def _mean_f1(predicted, labels, classes):
    from sklearn import metrics

    predicted, labels = _checked(predicted, labels)
    return float(metrics.f1_score(labels, predicted, labels=classes, average="macro",
                                  zero_division=0))


def _checked(predicted, labels):
    predicted, labels = np.asarray(predicted), np.asarray(labels)
    if predicted.shape != labels.shape or not len(labels):
        raise ValueError(f"`predicted` and `labels` should have one entry an example. "
                         f"Received: shapes {predicted.shape} and {labels.shape}")
    return predicted, labels
