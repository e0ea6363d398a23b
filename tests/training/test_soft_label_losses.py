"""The temperature of the loss of soft labels."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.training import losses

from .numpy_losses import (
    BATCH,
    FEATURES,
    PIECES,
    PREDICTED,
    PREDICTIONS,
    TOLERANCE,
    assert_seen,
    kl,
    layer_normed,
    masked_lm_distillation,
    piece_logits,
    run,
    softmax,
    spread,
)


@pytest.mark.parametrize(("temperature", "expected"), [
    (1.0, 0.4567767), (2.0, 0.5446524), (10.0, 0.5621372)])
def test_soft_labels_are_distilberts_mean_over_tokens(temperature, expected):
    student, teacher = [[[1, 0, 0], [0, 2, -1]]], [[[2, 0, -1], [0, 1, 1]]]
    found = run("masked_lm_distillation", student, teacher, [[0.5, 0.5]], temperature)
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE)


@pytest.mark.parametrize("temperature", [1.0, 2.0, 0.5])
def test_temperature_divides_both_sides_logits_and_its_square_multiplies(temperature):
    student, teacher, weights = piece_logits(1), piece_logits(2), spread(PREDICTED)
    found = run("masked_lm_distillation", student, teacher, weights, temperature)
    np.testing.assert_allclose(
        found, masked_lm_distillation(student, teacher, weights, temperature), rtol=TOLERANCE)
    if temperature == 1:
        assert found == run("masked_lm_distillation", student, teacher, weights)
        return
    divided = student / temperature, teacher / temperature
    for wrong in (
            (weights * kl(*divided)).sum(),  # without the square
            temperature**2 * (weights * kl(student, divided[1])).sum(),  # one side only
            temperature**2 * (weights * kl(student * temperature, teacher * temperature)).sum(),
            masked_lm_distillation(student, teacher, weights)):
        assert_seen(wrong, found)


def test_the_published_temperature_on_hidden_states_would_be_seen():
    """Before a transform with a norm, a factor on the states does next to nothing."""
    random = np.random.default_rng(0)
    hidden, kernel = random.normal(size=(BATCH, PREDICTIONS, FEATURES)), random.normal(
        size=(FEATURES, PIECES))
    student, weights = piece_logits(1), spread(PREDICTED)
    right = run("masked_lm_distillation", student, layer_normed(hidden) @ kernel, weights, 2.0)
    published = (weights * kl(student, layer_normed(2 * hidden) @ kernel)).sum()
    assert_seen(published, right)
    # And at a temperature of 1 the two agree.
    np.testing.assert_allclose(
        run("masked_lm_distillation", student, layer_normed(hidden) @ kernel, weights, 1.0),
        (weights * kl(student, layer_normed(hidden) @ kernel)).sum(), rtol=TOLERANCE)


def test_gradient_of_soft_labels_is_the_difference_of_probabilities_times_temperature():
    student, teacher, weights = piece_logits(1), piece_logits(2), spread(PREDICTED)
    given = tf.constant(student, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = losses.masked_lm_distillation(
            given, tf.constant(teacher, tf.float32), tf.constant(weights, tf.float32), 2.0)
    expected = 2 * weights[..., None] * (softmax(student / 2) - softmax(teacher / 2))
    np.testing.assert_allclose(tape.gradient(loss, given), expected, atol=2e-6)
