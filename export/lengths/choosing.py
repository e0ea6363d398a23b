"""Choosing: the lengths with the least mean cost over texts, found exactly."""

from collections.abc import Mapping

import numpy as np

from mobilebert_tf.errors import InputError


def best_sets(costs: Mapping[int, float], counts: Mapping[int, int],
              budget: int) -> list[tuple[int, ...]]:
    """Return the best set of at most 1, 2, ... `budget` lengths, each ascending.

    A text costs what the shortest length costs that is in the set and not below the one that the
    text needs. The longest length is in every set, so that no text is cut that would not be cut
    without the others. Of sets with equal costs the smallest is returned.

    With the lengths l_1 < l_2 < ..., and N(j) texts that need at most l_j, the least cost of texts
    that need at most l_j, by k lengths of which l_j is the longest, is

        C(1, j) = N(j) cost(l_j)
        C(k, j) = min over i < j of C(k - 1, i) + (N(j) - N(i)) cost(l_j)

    Args:
      costs: of a run at each length that may be chosen.
      counts: the number of texts that need each length, which is one of these; others need none.
      budget: the most lengths of a set.
    Raises:
      InputError: for a budget below 1.
    """
    if budget < 1:
        raise InputError(f"a file has at least one length. Received: a budget of {budget}")
    lengths = sorted(costs)
    needing = np.cumsum([counts.get(length, 0) for length in lengths])
    cost = np.array([costs[length] for length in lengths], np.float64)
    least, chosen = needing * cost, [(length,) for length in lengths]
    found = [chosen[-1]]
    best = least[-1]
    for _ in range(1, min(budget, len(lengths))):
        least, chosen = _with_one_more(least, chosen, lengths, needing, cost)
        found.append(chosen[-1] if least[-1] < best else found[-1])
        best = min(best, least[-1])
    return found


def _with_one_more(least, chosen, lengths, needing, cost):
    """The least costs and their sets, by the longest length, with one length more."""
    more, sets = np.full(len(lengths), np.inf), [()] * len(lengths)
    for j in range(1, len(lengths)):
        totals = least[:j] + (needing[j] - needing[:j]) * cost[j]
        i = int(totals.argmin())
        more[j], sets[j] = totals[i], (*chosen[i], lengths[j])
    return more, sets


def mean_cost(chosen: tuple[int, ...], costs: Mapping[int, float],
              counts: Mapping[int, int]) -> float:
    """Return the mean cost of a text with these lengths. No text may need more than the longest."""
    total = sum(count * costs[run_at(needed, chosen)] for needed, count in counts.items())
    return total / sum(counts.values())


def run_at(needed: int, chosen: tuple[int, ...]) -> int:
    """Return the shortest of the chosen lengths that is not below the one that a text needs."""
    return min(length for length in chosen if length >= needed)
