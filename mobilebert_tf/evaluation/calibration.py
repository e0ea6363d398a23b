"""The expected calibration error: how far confidences are from the share that is right."""

import numpy as np


def expected_calibration_error(confidences, right, bins: int = 15) -> float:
    """Return the mean distance of confidence and share of right decisions, bin by bin.

    The range from 0 to 1 is cut into bins of equal width, each with its upper edge. In every bin
    the mean confidence is compared with the share of decisions that are right; the absolute
    differences are weighted by the number of decisions (Guo et al. 2017, arXiv:1706.04599,
    equation 3, with its 15 bins). 0 is perfect.

    Args:
      confidences: the probability of each decision that was made, 0 to 1; at least one.
      right: whether each is right.
      bins: number of bins.
    Raises:
      ValueError: if there are more or fewer decisions than confidences, or none.
    """
    confidences, right = np.asarray(confidences, np.float64), np.asarray(right, np.float64)
    if confidences.shape != right.shape or not len(confidences):
        raise ValueError("`confidences` and `right` should have one entry a decision. "
                         f"Received: shapes {confidences.shape} and {right.shape}")
    inner_edges = np.linspace(0, 1, bins + 1)[1:-1]
    bin_of = np.searchsorted(inner_edges, confidences, side="left")
    # The count of a bin cancels: its weight is count / all, and both means divide by count.
    gaps = np.bincount(bin_of, weights=confidences - right, minlength=bins)
    return float(np.abs(gaps).sum() / len(confidences))
