import warnings

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from mobilebert_tf.evaluation.multi_label import (
    best_threshold,
    macro_f1,
    micro_f1,
    score_by_label,
)

NAMES = ("joy", "love", "anger")
LABELS = [[1, 1, 0], [1, 0, 0], [0, 0, 0], [0, 1, 0]]
PREDICTED = [[1, 0, 0], [1, 0, 1], [0, 0, 0], [1, 1, 0]]


def drawn(seed, examples=40, labels=5):
    random = np.random.default_rng(seed)
    return (random.random((examples, labels)) < 0.4).astype(int)


def test_scores_by_hand():
    # Joy: 2 of 3 predictions are right, and 2 of 2 found; love: 1 of 1, and 1 of 2; anger: 0 of 1.
    assert micro_f1(PREDICTED, LABELS) == pytest.approx(2 * 3 / (5 + 4))
    assert macro_f1(PREDICTED, LABELS) == pytest.approx((4 / 5 + 2 / 3 + 0) / 3)
    assert score_by_label(PREDICTED, LABELS, NAMES) == {
        "joy": {"f1": pytest.approx(0.8), "precision": pytest.approx(2 / 3), "recall": 1.0,
                "examples": 2},
        "love": {"f1": pytest.approx(2 / 3), "precision": 1.0, "recall": 0.5, "examples": 2},
        "anger": {"f1": 0.0, "precision": 0.0, "recall": 0.0, "examples": 0}}


def test_one_label_by_hand():
    # 1 of 1 prediction is right, and 1 of 2 found.
    predicted, labels = [[1], [0], [0], [0]], [[1], [1], [0], [0]]
    assert micro_f1(predicted, labels) == macro_f1(predicted, labels) == pytest.approx(2 / 3)
    assert score_by_label(predicted, labels, ["joy"]) == {
        "joy": {"f1": pytest.approx(2 / 3), "precision": 1.0, "recall": 0.5, "examples": 2}}
    assert best_threshold(np.array([[0.9], [0.8], [0.2], [0.1]]), labels)[1] == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_scikit_learns(seed):
    labels, predicted = drawn(seed), drawn(seed + 10)
    for function, average in ((micro_f1, "micro"), (macro_f1, "macro")):
        assert function(predicted.tolist(), labels.astype(float)) == pytest.approx(
            sklearn_metrics.f1_score(labels, predicted, average=average), abs=1e-12)
    by_label = score_by_label(predicted, labels, "abcde")
    assert [one["f1"] for one in by_label.values()] == pytest.approx(
        sklearn_metrics.f1_score(labels, predicted, average=None), abs=1e-12)
    assert [one["examples"] for one in by_label.values()] == labels.sum(axis=0).tolist()


def test_without_any_label_scores_are_0_and_nothing_is_warned_of():
    nothing = np.zeros((3, 2), int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert micro_f1(nothing, nothing) == macro_f1(nothing, nothing) == 0
        assert score_by_label(nothing, nothing, "ab")["a"]["f1"] == 0
        threshold, best = best_threshold(np.float32([[0.5, 0.25]] * 3), nothing)
    assert best == 0
    assert 0 <= threshold <= 1


def test_the_best_threshold_by_hand():
    # With so many predicted, the likeliest first: 2 / 4, 2 / 5, 4 / 6, 6 / 7, 6 / 8.
    probabilities = np.float32([[0.875, 0.75, 0.5], [0.375, 0.125, 0.0]])
    labels = [[1, 0, 1], [1, 0, 0]]
    threshold, best = best_threshold(probabilities, labels)
    assert (threshold, best) == (0.25, pytest.approx(6 / 7))


def test_no_threshold_is_below_a_probability_of_0():
    # With all three predicted the F1 would be 1.
    probabilities, labels = np.float32([[0.5, 0.25, 0.0]]), [[1, 1, 1]]
    assert best_threshold(probabilities, labels) == (0.125, pytest.approx(4 / 5))
    assert best_threshold(np.zeros((1, 3), np.float32), labels) == (0.5, 0)


def test_equal_probabilities_are_predicted_together():
    # Cut within the three equal ones, the F1 would be 1.
    probabilities, labels = np.float32([[0.5, 0.5], [0.5, 0.25]]), [[1, 1], [0, 0]]
    threshold, best = best_threshold(probabilities, labels)
    assert (threshold, best) == (0.375, pytest.approx(4 / 5))
    assert best_threshold(probabilities[::-1], labels[::-1]) == (threshold, best)


def test_of_equally_good_thresholds_the_greatest_is_taken():
    # One right of one prediction, and two right of four: 2 / (1 + 2) and 4 / (4 + 2).
    probabilities, labels = np.float32([[0.875, 0.75], [0.5, 0.25]]), [[1, 0], [0, 1]]
    assert best_threshold(probabilities, labels) == (0.8125, pytest.approx(2 / 3))


def test_where_all_labels_are_right_all_are_above_the_threshold():
    assert best_threshold(np.float32([[0.5, 0.25]]), [[1, 1]]) == (0.125, 1.0)


@pytest.mark.parametrize("above", [np.float32(1), np.float32(0.5)])
def test_neighbouring_floats_are_told_apart(above):
    """A sigmoid that saturates gives such."""
    below = np.nextafter(above, np.float32(0))
    probabilities, labels = np.array([[above], [below]]), np.array([[1], [0]])
    threshold, best = best_threshold(probabilities, labels)
    assert best == 1
    assert ((probabilities > threshold) == labels).all()


@pytest.mark.parametrize("decimals", [1, 2, 7])
@pytest.mark.parametrize("seed", range(4))
def test_no_other_threshold_is_better_by_scikit_learn(seed, decimals):
    """With one decimal, many probabilities are equal."""
    random = np.random.default_rng(seed)
    labels = drawn(seed)
    probabilities = np.clip(0.35 * labels + random.random(labels.shape) * 0.65, 0, 1).round(
        decimals).astype(np.float32)
    threshold, best = best_threshold(probabilities, labels)

    def f1(threshold):
        return sklearn_metrics.f1_score(labels, probabilities > threshold, average="micro",
                                        zero_division=0)

    scores = [f1(one) for one in (-1, *np.unique(probabilities))]
    assert best == pytest.approx(f1(threshold), abs=1e-12)
    assert best == pytest.approx(max(scores), abs=1e-12)
    assert 0.5 < best < 1
    precision, recall, _ = sklearn_metrics.precision_recall_curve(
        labels.ravel(), probabilities.ravel())
    curve = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    assert best == pytest.approx(curve.max(), abs=1e-12)
