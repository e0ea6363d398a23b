import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

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
    # A missing answer is the other class: 1 true positive, 1 true negative, 1 false negative.
    ([1, -1, 0], [1, 1, 0], 1 / np.sqrt(1 * 2 * 1 * 2)),
    ([-1, -1, -1], [1, 0, 1], -1.0),
    ([-1, -1], [1, 1], 0.0),
    # Of three classes: 3 of 4 right, 2 * 2 + 1 * 1 by class, and 2 for the missing answer, as if it
    # was 0; labels and evened-out predictions are of 2, 1 and 1.
    ([0, -1, 1, 0], [0, 2, 1, 0], (4 * 3 - 2 * 2 - 1 - 2) / np.sqrt((16 - 6) * (16 - 6))),
])
def test_matthews_correlation_by_hand(predicted, labels, expected):
    found = matthews(predicted, labels)
    assert type(found) is float
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("score", [accuracy, matthews])
def test_no_missing_answer_is_better_than_a_wrong_one(score, count):
    random = np.random.default_rng(count)
    for _ in range(60):
        labels = np.append(random.integers(count, size=9), range(count))
        right = random.random(len(labels)) < random.random()
        wrong = (labels + random.integers(1, count, len(labels))) % count
        predicted = np.where(right, labels, wrong)
        missing = ~right & (random.random(len(labels)) < 0.5)
        # Predictions of every class: what classes there are does not depend on the missing ones.
        left_out = score(np.where(missing, -1, predicted), labels)
        assert left_out <= score(predicted, labels) + 1e-12
        if score is matthews and count == 2:
            assert left_out == pytest.approx(matthews_corrcoef(labels, predicted), abs=1e-12)


@pytest.mark.parametrize("score", [accuracy, matthews, f1, macro_f1])
def test_of_nothing_that_is_known_nothing_is_right(score):
    assert score([-1, -1], [-1, -1]) == 0.0


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
