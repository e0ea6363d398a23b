import math

import numpy as np
import pytest

from mobilebert_tf.evaluation.calibration import expected_calibration_error
from mobilebert_tf.evaluation.decisions import Decisions


def decisions(count=400, classes=3, sharpness=4.0, noise=1.5):
    """Decisions of a model that is too sure of itself."""
    random = np.random.default_rng(4)
    gold = random.integers(classes, size=count)
    logits = random.normal(0, noise, (count, classes))
    logits[np.arange(count), gold] += 1.0
    return Decisions(sharpness * logits, gold)


def test_the_error_by_hand():
    # Of the bins (0.4, 0.6], (0.6, 0.8] and (0.8, 1]: |1.15 - 1|, |0.8 - 0| and |0.9 - 1|.
    # With the lower edge in a bin it would be 0.2125.
    error = expected_calibration_error([0.9, 0.8, 0.55, 0.6], [True, False, True, False], bins=5)
    assert error == pytest.approx((0.15 + 0.8 + 0.1) / 4)
    assert expected_calibration_error([1.0, 1.0, 0.5, 0.5], [1, 1, 0, 1]) == 0
    assert expected_calibration_error([1.0, 0.0], [0, 1]) == 1


@pytest.mark.parametrize("bins", [1, 10, 15])
def test_the_error_is_that_of_scikit_learns_curve(bins):
    from sklearn.calibration import calibration_curve

    random = np.random.default_rng(4)
    confidences = np.concatenate([random.uniform(size=500), np.arange(11) / 10])
    right = random.uniform(size=511) < confidences**2
    share, mean = calibration_curve(right, confidences, n_bins=bins)
    edges = np.linspace(0, 1, bins + 1)
    counts = np.array([np.sum((confidences > low) & (confidences <= high)) + (
        low == 0) * np.sum(confidences == 0) for low, high in zip(edges, edges[1:], strict=False)])
    expected = np.average(np.abs(share - mean), weights=counts[counts > 0])
    assert expected_calibration_error(confidences, right, bins) == pytest.approx(expected)


def test_wrong_shapes_are_refused():
    for confidences, right in (([], []), ([0.5], [1, 0])):
        with pytest.raises(ValueError, match="one entry a decision"):
            expected_calibration_error(confidences, right)


def test_the_temperature_by_hand():
    """Eight of ten are right: 1 / (1 + exp(-2 / T)) = 0.8."""
    found = Decisions(np.tile([2.0, 0.0], (10, 1)), np.array([0] * 8 + [1] * 2))
    temperature = found.best_temperature()
    assert temperature == pytest.approx(2 / math.log(4))
    assert found.divided(temperature).calibration_error() == pytest.approx(0, abs=1e-8)
    assert found.calibration_error() == pytest.approx(1 / (1 + math.exp(-2)) - 0.8)
    # A likelihood that was maximized without the logarithm, or T in place of 1 / T, is far off.
    assert found.divided(temperature).negative_log_likelihood() == pytest.approx(
        -0.8 * math.log(0.8) - 0.2 * math.log(0.2))


@pytest.mark.parametrize("sharpness", [0.05, 1.0, 30.0])
def test_the_temperature_is_what_scipy_finds(sharpness):
    from scipy.optimize import minimize_scalar
    from scipy.special import log_softmax

    found = decisions(sharpness=sharpness)
    rows = np.arange(len(found.gold))

    def loss(log_temperature):
        divided = log_softmax(found.logits / math.exp(log_temperature), axis=1)
        return -divided[rows, found.gold].mean()

    best = minimize_scalar(loss, bounds=(-6, 6), method="bounded", options={"xatol": 1e-9})
    assert found.best_temperature() == pytest.approx(math.exp(best.x), rel=1e-4)
    assert found.negative_log_likelihood() == pytest.approx(loss(0))


def test_without_a_best_temperature_there_is_none():
    right = Decisions(np.array([[2.0, 0.0], [0.0, 3.0]]), np.array([0, 1]))
    wrong = Decisions(right.logits, 1 - right.gold)
    assert right.best_temperature() is None
    assert wrong.best_temperature() is None


def test_probabilities_are_decisions():
    found = decisions(50)
    probabilities = np.exp(found.log_probabilities).astype(np.float32)
    np.testing.assert_allclose(Decisions.between_classes(probabilities, found.gold)
                               .log_probabilities, found.log_probabilities, rtol=1e-5, atol=1e-6)
    both = Decisions.yes_or_no(np.array([[0.2, 0.9]]), np.array([[0, 1]]))
    np.testing.assert_allclose(np.exp(both.log_probabilities), [[0.8, 0.2], [0.1, 0.9]])
    assert both.gold.tolist() == [0, 1]
    # Float32 has nothing between 1 and the number before it, and no logarithm of 0.
    sure = Decisions.yes_or_no(np.array([0.0, 1.0], np.float32), np.array([0, 1]))
    assert np.isfinite(sure.logits).all()
    assert np.isfinite(Decisions.between_classes([[0.0, 1.0]], [0]).negative_log_likelihood())
