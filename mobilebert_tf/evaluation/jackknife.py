"""The jackknife: how far a score may be off because the examples are few."""

from collections.abc import Sequence

import numpy as np

_GROUPS = 20
_SEED = 0


def samples(count: int, groups: int = _GROUPS) -> list[np.ndarray]:
    """The numbers of all examples but those of one group, for each group in turn.

    Groups are of random examples, always the same ones, since a file may have a pattern; there
    are never more groups than examples.
    """
    groups = min(groups, count)
    of = np.random.default_rng(_SEED).permutation(count) % groups
    return [np.flatnonzero(of != group) for group in range(groups)]


def standard_error(scores: Sequence[float]) -> float:
    """The standard error of a score, by Tukey's jackknife.

    Of a mean of as many groups as examples it is the standard error that everybody knows; unlike
    that one it is there for any score, such as an F1 or a correlation.

    Args:
      scores: the score of each of the `samples`, two at least.
    """
    scores = np.asarray(scores, np.float64)
    return float(np.sqrt((len(scores) - 1) * np.mean((scores - scores.mean()) ** 2)))
