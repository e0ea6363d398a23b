"""Scores of regression: correlations, as GLUE has them for STS-B."""

import warnings

import numpy as np

from mobilebert_tf.errors import InputError


def pearson(predicted, labels) -> float:
    """Pearson's correlation coefficient, by scipy as in GLUE's own code.

    1 is perfect. Predictions without a correlation get 0: those that are all the same, as the same
    class for everything gets from Matthews; and those among which one is not finite.

    Args:
      predicted, labels: numbers, the same number of each and at least two.
    Raises:
      InputError: for labels that are all the same: no model can be scored on them.
      ValueError: for different numbers of predictions and labels, or none.
    """
    from scipy import stats  # a second that only those who score should wait

    return _correlation(stats.pearsonr, predicted, labels)


def spearman(predicted, labels) -> float:
    """Spearman's rank correlation coefficient, by scipy as in GLUE's own code.

    Args, Raises: as for `pearson`, and 0 as there.
    """
    from scipy import stats

    return _correlation(stats.spearmanr, predicted, labels)


def _correlation(function, predicted, labels):
    predicted, labels = (np.asarray(values, np.float64) for values in (predicted, labels))
    if predicted.shape != labels.shape or labels.ndim != 1 or not len(labels):
        raise ValueError(f"`predicted` and `labels` should have one number an example. "
                         f"Received: shapes {predicted.shape} and {labels.shape}")
    if len(np.unique(labels)) == 1:
        raise InputError(f"every one of the {len(labels)} labels is {labels[0]}; a correlation "
                         f"needs labels that differ")
    if not np.isfinite(predicted).all():
        return 0.0
    with warnings.catch_warnings():
        # scipy warns of predictions that are the same, or nearly: the first are nan, and 0 here.
        warnings.simplefilter("ignore")
        found = float(function(predicted, labels).statistic)
    return found if np.isfinite(found) else 0.0
