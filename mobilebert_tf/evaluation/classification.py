"""Scores of single-label classification.

A prediction of -1 is a missing answer: no class, and wrong whatever the label. An F1 counts it as
a label that was not found, and not as a class that was found in its place.
"""

from collections.abc import Sequence

import numpy as np


def accuracy(predicted, labels) -> float:
    """Part of the predictions that equal the label.

    Args:
      predicted, labels: class ids, the same number of each and at least one. A prediction of -1
        is a missing answer.
    Raises:
      ValueError: for different numbers of them, or none.
    """
    predicted, labels = _checked(predicted, labels)
    return float(np.mean((predicted == labels) & (predicted >= 0)))


def matthews(predicted, labels) -> float:
    """Matthews correlation coefficient, by scikit-learn as in GLUE's own code.

    1 is perfect, -1 always the other class; 0 is what the same answer to everything gets, however
    common its class. With more than two classes it is Gorodkin's (2004).

    A missing answer is a wrong one. Of two classes it counts as the other class. Of more there is
    no one other class: the score is then the lower bound of what wrong answers in place of the
    missing ones could get. So it is never better to leave an answer out than to give a wrong one.
    The classes are those that are a label or a prediction.

    Args, Raises: as for `accuracy`.
    """
    from sklearn import metrics  # a second that only those who score should wait

    predicted, labels = _checked(predicted, labels)
    missing = predicted < 0
    classes = np.union1d(labels, predicted[~missing])
    if missing.any() and len(classes) == 2:
        predicted = np.where(missing, classes.sum() - labels, predicted)
    elif missing.any():
        return _least_matthews(predicted, labels, classes)
    if len(np.unique(np.concatenate([predicted, labels]))) == 1:
        return 0.0  # scikit-learn's answer too, but it warns
    return float(metrics.matthews_corrcoef(labels, predicted))


def _least_matthews(predicted, labels, classes):
    """A lower bound of Gorodkin's coefficient, whatever wrong classes the missing answers were.

    The coefficient is (c s - sum p t) / sqrt((s^2 - sum p^2) (s^2 - sum t^2)), where s examples
    have c right answers, and t labels and p predictions of each class. Of a missing answer the
    wrong class is the most common other label's, which makes the numerator least. Only the other
    factor depends on the rest: it is greatest where missing answers even the predictions out, and
    least where all are of one class.
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
    """F1 of class 1, by scikit-learn as in GLUE's own code; 0 where nobody says 1.

    Args, Raises: as for `accuracy`.
    """
    return _mean_f1(predicted, labels, [1])


def macro_f1(predicted, labels) -> float:
    """Mean of the F1 of all classes that are a label or a prediction; 0 where there are none.

    By scikit-learn.

    Args, Raises: as for `accuracy`.
    """
    found = np.unique(np.concatenate([predicted, labels]))
    return _mean_f1(predicted, labels, found[found >= 0])


def score_by_class(predicted, labels, names: Sequence[str]) -> dict[str, dict]:
    """`f1`, `precision` and `recall` of each class, and how many `examples` have it as label.

    By scikit-learn; a score that is not defined, such as the precision of a class that is never
    predicted, is 0.

    Args:
      predicted, labels: as for `accuracy`.
      names: of the classes, in the order of their ids.
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
        raise ValueError(f"`predicted` and `labels` should have one entry an example. "
                         f"Received: shapes {predicted.shape} and {labels.shape}")
    return predicted, labels
