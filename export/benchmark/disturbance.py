"""Disturbance: whether other programs ran while latencies were measured."""

from collections.abc import Hashable, Mapping

# Alone on a machine, medians are a few hundredths above the 5th percentile.
_DISTURBED = 1.25


def sentence(medians: Mapping[Hashable, float], undisturbed: Mapping[Hashable, float]
             ) -> str | None:
    """Return a sentence on why latencies mislead; None if the machine did nothing else.

    Other programs interrupt long runs more often than short ones. Their medians then grow, and
    what is fast looks better than it is.

    Args:
      medians: of the times of what was measured, by its name, such as "length 64".
      undisturbed: the 5th percentiles of the same times.
    """
    name, factor = max(((name, median / undisturbed[name]) for name, median in medians.items()),
                       key=lambda one: one[1])
    if factor <= _DISTURBED:
        return None
    return (f"Other programs disturbed the measurement: at {name} the median is {factor:.1f} times "
            "the 5th percentile. Neither the choice nor the ratios can be trusted: measure again "
            "on an idle machine.")
