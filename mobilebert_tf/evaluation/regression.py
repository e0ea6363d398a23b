"""Scores of regression: the correlations that GLUE uses for STS-B."""

import warnings

import numpy as np

from mobilebert_tf.errors import InputError


def pearson(predicted, labels) -> float:
    """Return Pearson's correlation coefficient, by scipy as in GLUE's own code.

    1 is perfect. Predictions that are all equal, or of which one is not finite, score 0.

    Args:
      predicted, labels: numbers, as many of each and at least two.
    Raises:
      InputError: if all labels are equal; no model can be scored on them.
      ValueError: if there are more or fewer predictions than labels, or none.
    """
    from scipy import stats  # takes a second to import

    return _correlation(stats.pearsonr, predicted, labels)


def spearman(predicted, labels) -> float:
    """Return Spearman's rank correlation coefficient, by scipy as in GLUE's own code.

    Args, Raises: as for `pearson`; it scores 0 in the same cases.
    """
    from scipy import stats

    return _correlation(stats.spearmanr, predicted, labels)


def _correlation(function, predicted, labels):
    predicted, labels = (np.asarray(values, np.float64) for values in (predicted, labels))
    if predicted.shape != labels.shape or labels.ndim != 1 or not len(labels):
        raise ValueError("`predicted` and `labels` should have one number an example. "
                         f"Received: shapes {predicted.shape} and {labels.shape}")
    if len(np.unique(labels)) == 1:
        raise InputError(f"every one of the {len(labels)} labels is {labels[0]}; a correlation "
                         "needs labels that differ")
    if not np.isfinite(predicted).all():
        return 0.0
    with warnings.catch_warnings():
        # scipy warns of predictions that are equal or nearly so; for equal ones it returns nan.
        warnings.simplefilter("ignore")
        found = float(function(predicted, labels).statistic)
    return found if np.isfinite(found) else 0.0
