import numpy as np
import pytest

from mobilebert_tf.evaluation.classification import accuracy, f1, macro_f1, matthews

# What is said on stderr beside a score would read as part of it.
pytestmark = pytest.mark.filterwarnings("error")


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
    ([1, 1], [1, 1], 0.0),
    # A class that nothing is of, which the gate gives to a file's broken outputs.
    ([1, -1, 0], [1, 1, 0], 3 / np.sqrt(6 * 4)),
])
def test_matthews_correlation_by_hand(predicted, labels, expected):
    found = matthews(predicted, labels)
    assert type(found) is float
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("predicted", "labels", "expected"), [
    # 3 true positives, 1 false positive, 2 false negatives: 2 * 3 / (2 * 3 + 1 + 2); of class 0,
    # 2 true ones, 2 false ones, 1 that was missed, it is 4 / 7.
    ([1, 1, 0, 1, 0, 0, 1, 0], [1, 0, 0, 1, 1, 0, 1, 1], 6 / 9),
    # -1 misses a 1 and finds none.
    ([1, -1, -1, 0], [1, 1, 0, 0], 2 / 3),
    ([0, 0, 0], [0, 1, 1], 0.0),
    ([0, 0, 0], [0, 0, 0], 0.0),
])
def test_f1_is_of_class_1_by_hand(predicted, labels, expected):
    found = f1(predicted, labels)
    assert type(found) is float
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("predicted", "labels", "expected"), [
    # 2 * 2 / (4 + 3), 2 * 1 / (2 + 2), and 0 for class 2, which is never said.
    ([0, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 2], (4 / 7 + 2 / 4 + 0) / 3),
    # A class that is said and none is of counts too.
    ([0, 2, 1], [0, 0, 1], (2 / 3 + 1 + 0) / 3),
    # -1 is no class of its own.
    ([0, -1, 1, 1], [0, 0, 1, 1], (2 / 3 + 1) / 2),
    ([-1, -1], [0, 1], 0.0),
    ([3, 3], [3, 3], 1.0),
])
def test_macro_f1_is_the_mean_over_classes_by_hand(predicted, labels, expected):
    found = macro_f1(predicted, labels)
    assert type(found) is float
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("score", [accuracy, matthews, f1, macro_f1])
@pytest.mark.parametrize(("predicted", "labels"), [([0, 1], [0]), ([], [])])
def test_different_numbers_or_none_are_refused(score, predicted, labels):
    with pytest.raises(ValueError, match="one entry an example"):
        score(predicted, labels)
