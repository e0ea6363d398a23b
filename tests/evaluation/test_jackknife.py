import numpy as np
import pytest
from scipy import stats

from mobilebert_tf.evaluation import jackknife


def test_of_a_mean_it_is_the_standard_error():
    values = np.random.default_rng(0).normal(size=17)
    found = jackknife.standard_error([values[chosen].mean() for chosen in jackknife.samples(17)])
    assert found == pytest.approx(stats.sem(values), rel=1e-12)


def test_groups_are_as_good_as_examples():
    """Of 4,000 examples in 20 groups; 20 values know their deviation to about a sixth."""
    values = np.random.default_rng(1).exponential(size=4000)
    found = jackknife.standard_error([values[chosen].mean() for chosen in jackknife.samples(4000)])
    assert found == pytest.approx(stats.sem(values), rel=0.35)


def test_a_pattern_in_the_file_is_no_noise():
    """Of 0 and 1 in turn, in 20 groups: taken in turn too, groups would be of one value each."""
    values = np.arange(4000) % 2
    found = jackknife.standard_error([values[chosen].mean() for chosen in jackknife.samples(4000)])
    assert found == pytest.approx(stats.sem(values), rel=0.35)


@pytest.mark.parametrize(("count", "groups", "size"), [(5, 5, 4), (40, 20, 38), (41, 20, 38)])
def test_every_example_is_left_out_once(count, groups, size):
    found = jackknife.samples(count)
    assert len(found) == groups
    assert min(map(len, found)) == size
    left_out = [number for chosen in found for number in set(range(count)) - set(chosen.tolist())]
    assert sorted(left_out) == list(range(count))
