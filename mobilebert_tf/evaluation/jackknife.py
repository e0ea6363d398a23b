"""The jackknife: the standard error of a score on a finite number of examples."""

from collections.abc import Sequence

import numpy as np

_GROUPS = 20
_SEED = 0


def samples(count: int) -> list[np.ndarray]:
    """Return, for each of 20 groups of examples, the numbers of all examples outside it.

    Groups are random, since a file may have a pattern, but always the same. With fewer than 20
    examples there is a group for each.
    """
    groups = min(_GROUPS, count)
    group_of = np.random.default_rng(_SEED).permutation(count) % groups
    return [np.flatnonzero(group_of != group) for group in range(groups)]


def standard_error(scores: Sequence[float]) -> float:
    """Return the standard error of a score, by Tukey's jackknife.

    It works for any score, such as an F1 or a correlation. For a mean, with a group for each
    example, it equals the usual standard error of the mean.

    Args:
      scores: the score on each of the `samples`, at least two.
    """
    scores = np.asarray(scores, np.float64)
    return float(np.sqrt((len(scores) - 1) * np.mean((scores - scores.mean()) ** 2)))
