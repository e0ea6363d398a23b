"""Scores of single-label classification.

A prediction of -1 is a missing answer. It is wrong, whatever the label. For an F1 it is a false
negative of the label, and a false positive of no class.
"""

from collections.abc import Sequence

import numpy as np


def accuracy(predicted, labels) -> float:
    """Return the fraction of the predictions that equal the label.

    Args:
      predicted, labels: class ids, as many of each and at least one. A prediction of -1 is a
        missing answer.
    Raises:
      ValueError: if there are more or fewer predictions than labels, or none.
    """
    predicted, labels = _checked(predicted, labels)
    return float(np.mean((predicted == labels) & (predicted >= 0)))


def matthews(predicted, labels) -> float:
    """Return the Matthews correlation coefficient, by scikit-learn as in GLUE's own code.

    1 means that all predictions are right; with two classes, -1 means that all are wrong. Always
    the same class scores 0, however common it is. With more than two classes, this is Gorodkin's
    coefficient (2004).

    A missing answer is wrong. With two classes it counts as the other class. With more, the score
    is a lower bound: no wrong answers in place of the missing ones could score lower. So leaving
    an answer out is never better than a wrong one. The classes are those in labels or predictions.

    Args, Raises: as for `accuracy`.
    """
    from sklearn import metrics  # takes a second to import

    predicted, labels = _checked(predicted, labels)
    missing = predicted < 0
    classes = np.union1d(labels, predicted[~missing])
    if missing.any() and len(classes) == 2:
        predicted = np.where(missing, classes.sum() - labels, predicted)
    elif missing.any():
        return _least_matthews(predicted, labels, classes)
    if len(np.unique(np.concatenate([predicted, labels]))) == 1:
        return 0.0  # scikit-learn also returns 0, with a warning
    return float(metrics.matthews_corrcoef(labels, predicted))


def _least_matthews(predicted, labels, classes):
    """Return a lower bound of Gorodkin's coefficient over all wrong classes of missing answers.

    The coefficient is (c s - sum p t) / sqrt((s^2 - sum p^2) (s^2 - sum t^2)), where s examples
    have c right answers, and each class has t labels and p predictions. The numerator is least if
    each missing answer is the most common other label. The denominator is bounded separately: it
    is greatest if missing answers even the predictions out, and least if all are of one class.
    """
    wrong = [max((labels == one).sum() for one in classes if one != label)
             for label in labels[predicted < 0]] if len(classes) > 1 else [0]
    expected = np.array([(labels == one).sum() for one in classes])
    given = np.array([(predicted == one).sum() for one in classes])
    total, answers = len(labels), (predicted == labels).sum()
    numerator = answers * total - given @ expected - sum(wrong)
    for _ in wrong:
        given[given.argmin() if numerator > 0 else given.argmax()] += 1
    spread = (total**2 - given @ given) * (total**2 - expected @ expected)
    if not spread:
        return -1.0 if numerator < 0 else 0.0
    return float(max(numerator / np.sqrt(float(spread)), -1.0))


def f1(predicted, labels) -> float:
    """Return the F1 of class 1, by scikit-learn as in GLUE's own code; 0 if it never occurs.

    Args, Raises: as for `accuracy`.
    """
    return _mean_f1(predicted, labels, [1])


def macro_f1(predicted, labels) -> float:
    """Return the mean F1 of all classes in labels or predictions, by scikit-learn; 0 for none.

    Args, Raises: as for `accuracy`.
    """
    found = np.unique(np.concatenate([predicted, labels]))
    return _mean_f1(predicted, labels, found[found >= 0])


def score_by_class(predicted, labels, names: Sequence[str]) -> dict[str, dict]:
    """Return `f1`, `precision`, `recall` and the number of `examples` of each class.

    By scikit-learn. An undefined score, such as the precision of a class that is never predicted,
    is 0.

    Args:
      predicted, labels: as for `accuracy`.
      names: names of the classes in the order of their ids.
    Raises:
      ValueError: as for `accuracy`.
    """
    from sklearn import metrics

    predicted, labels = _checked(predicted, labels)
    found = metrics.precision_recall_fscore_support(
        labels, predicted, labels=range(len(names)), average=None, zero_division=0)
    return {name: {"f1": float(one), "precision": float(precision), "recall": float(recall),
                   "examples": int(examples)}
            for name, precision, recall, one, examples in zip(names, *found, strict=True)}


def _mean_f1(predicted, labels, classes):
    from sklearn import metrics

    predicted, labels = _checked(predicted, labels)
    if not len(classes):
        return 0.0
    return float(metrics.f1_score(labels, predicted, labels=classes, average="macro",
                                  zero_division=0))


def _checked(predicted, labels):
    predicted, labels = np.asarray(predicted), np.asarray(labels)
    if predicted.shape != labels.shape or not len(labels):
        raise ValueError("`predicted` and `labels` should have one entry an example. "
                         f"Received: shapes {predicted.shape} and {labels.shape}")
    return predicted, labels
