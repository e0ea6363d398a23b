import numpy as np
import pytest

from mobilebert_tf.evaluation.classification import accuracy, matthews


def test_accuracy_is_the_part_that_is_right():
    assert accuracy([0, 1, 2, 2], [0, 1, 1, 2]) == 0.75


@pytest.mark.parametrize(("predicted", "labels", "expected"), [
    # 3 true positives, 2 true negatives, 1 false positive, 2 false negatives:
    # (3 * 2 - 1 * 2) / sqrt(4 * 5 * 3 * 4).
    ([1, 1, 1, 0, 0, 1, 0, 0], [1, 1, 1, 0, 0, 0, 1, 1], 4 / np.sqrt(240)),
    ([1, 0, 1], [1, 0, 1], 1.0),
    ([0, 1, 0], [1, 0, 1], -1.0),
    ([1, 1, 1, 1], [1, 1, 1, 0], 0.0),
    ([0, 0, 0, 0], [1, 1, 1, 0], 0.0),
    # A class that nothing is of, which the gate gives to a file's broken outputs.
    ([1, -1, 0], [1, 1, 0], 3 / np.sqrt(6 * 4)),
])
def test_matthews_correlation_by_hand(predicted, labels, expected):
    found = matthews(predicted, labels)
    assert type(found) is float
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("score", [accuracy, matthews])
@pytest.mark.parametrize(("predicted", "labels"), [([0, 1], [0]), ([], [])])
def test_different_numbers_or_none_are_refused(score, predicted, labels):
    with pytest.raises(ValueError, match="one entry an example"):
        score(predicted, labels)
