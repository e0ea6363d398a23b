"""Scores of texts that have any number of labels, by scikit-learn."""

from collections.abc import Sequence

import numpy as np


def micro_f1(predicted, labels) -> float:
    """Compute the F1 of all decisions together; 0 if there is no label, right or predicted.

    Args:
      predicted, labels: 0 or 1 per example and label, `(examples, labels)`.
    """
    return _f1(predicted, labels, "micro")


def macro_f1(predicted, labels) -> float:
    """Compute the mean of the F1 of each label; a label that nobody has or predicts counts as 0.

    Args: as of `micro_f1`.
    """
    return _f1(predicted, labels, "macro")


def score_by_label(predicted, labels, names: Sequence[str]) -> dict[str, dict]:
    """Compute `f1`, `precision` and `recall` of each label, and how many `examples` have it.

    A score that is not defined is 0.

    Args:
      predicted, labels: as of `micro_f1`.
      names: of the labels, in the order of the columns.
    """
    from sklearn import metrics

    found = metrics.precision_recall_fscore_support(
        **_of_scikit_learn(labels, predicted), average=None, zero_division=0)
    return {name: {"f1": float(f1), "precision": float(precision), "recall": float(recall),
                   "examples": int(examples)}
            for name, precision, recall, f1, examples in zip(names, *found, strict=True)}


def best_threshold(probabilities: np.ndarray, labels) -> tuple[float, float]:
    """Find the threshold with the best micro F1, and that F1.

    A label is predicted if its probability is above the threshold. The candidates are the
    midpoints between neighbouring distinct probabilities, and between the lowest one and 0. Of
    equally good candidates the highest is taken, which predicts the fewest labels. If all
    probabilities are 0, no threshold predicts a label: it is 0.5 then, and the F1 is 0.

    Args:
      probabilities: `(examples, labels)`.
      labels: 0 or 1, of the same shape.
    """
    flat, gold = np.ravel(probabilities), np.ravel(np.asarray(labels, np.int64))
    order = np.argsort(-flat, kind="stable")
    ranked, right = flat[order], np.cumsum(gold[order])
    # The n likeliest are predicted; equal probabilities are predicted together.
    last = np.append(np.flatnonzero(ranked[1:] < ranked[:-1]), len(ranked) - 1)
    last = last[ranked[last] > 0]  # no threshold is below a probability of 0
    if not len(last):
        return 0.5, 0.0
    scores = 2 * right[last] / (last + 1 + gold.sum())
    best = int(np.argmax(scores))
    # Between two probabilities, so that rounding does not move one across.
    above = ranked[last[best]]
    below = ranked[last[best] + 1] if last[best] + 1 < len(ranked) else above.dtype.type(0)
    middle = (above + below) / 2
    # Nothing is between two neighbouring floats.
    return float(middle if middle < above else below), float(scores[best])


def _f1(predicted, labels, average):
    from sklearn import metrics

    return float(metrics.f1_score(**_of_scikit_learn(labels, predicted), average=average,
                                  zero_division=0))


def _of_scikit_learn(labels, predicted):
    """Return the arguments of scikit-learn's scores; a single column has two classes to it."""
    labels, predicted = (np.asarray(array, np.int64) for array in (labels, predicted))
    return {"y_true": labels, "y_pred": predicted, "labels": [1] if labels.shape[1] == 1 else None}
