from itertools import combinations

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.lengths import choosing


def brute_force(costs, counts, budget):
    """The least total cost of all sets of at most `budget` lengths that have the longest."""
    *others, longest = sorted(costs)
    return min(
        sum(count * costs[min(one for one in (*chosen, longest) if one >= needed)]
            for needed, count in counts.items())
        for size in range(budget) for chosen in combinations(others, size))


def test_one_length_more_by_hand():
    """Ten short texts and one of 64: with 16 the mean is (10 * 1 + 4) / 11, with 32 it is 24/11."""
    costs, counts = {16: 1.0, 32: 2.0, 64: 4.0}, {16: 10, 32: 0, 64: 1}
    found = choosing.best_sets(costs, counts, 3)
    assert found == [(64,), (16, 64), (16, 64)]  # 32 serves nobody
    assert choosing.mean_cost((64,), costs, counts) == 4
    assert choosing.mean_cost((16, 64), costs, counts) == pytest.approx(14 / 11)
    assert choosing.mean_cost((32, 64), costs, counts) == pytest.approx(24 / 11)


def test_the_longest_stays_though_no_text_needs_it():
    assert choosing.best_sets({16: 1.0, 64: 4.0}, {16: 5, 64: 0}, 1) == [(64,)]
    assert choosing.best_sets({16: 1.0, 64: 4.0}, {16: 5, 64: 0}, 9)[-1] == (16, 64)


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_no_set_is_better(seed, rising):
    """Also where noise made a longer length faster than a shorter one."""
    random = np.random.default_rng(seed)
    lengths = sorted(random.choice(200, 8, replace=False).tolist())
    values = random.uniform(1, 9, 8)
    costs = dict(zip(lengths, (sorted(values) if rising else values), strict=True))
    counts = dict(zip(lengths, random.integers(0, 30, 8).tolist(), strict=True))
    counts[lengths[0]] += 1
    found = choosing.best_sets(costs, counts, 8)
    assert len(found) == 8
    for budget, chosen in enumerate(found, 1):
        assert len(chosen) <= budget
        assert chosen[-1] == lengths[-1]
        assert choosing.mean_cost(chosen, costs, counts) * sum(counts.values()) == pytest.approx(
            brute_force(costs, counts, budget))


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(mb.InputError, match="at least one length"):
        choosing.best_sets({16: 1.0}, {16: 1}, 0)
