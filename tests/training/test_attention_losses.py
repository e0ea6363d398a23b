"""The losses of attention: masked keys, gradients and what was published."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.training import losses

from .numpy_losses import (
    HEADS,
    MASK,
    TOLERANCE,
    attention,
    attention_scores,
    cross_entropy_with,
    masked_logits,
    run,
    softmax,
    spread,
)


@pytest.mark.parametrize("value", [-1e30, -1e4])
def test_attention_of_masked_logits_and_its_gradient_are_finite_and_p_s_minus_p_t(value):
    student, teacher = masked_logits(1, value), masked_logits(2, value)
    weights = spread(MASK)
    given = tf.constant(student, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = losses.attention(given, tf.constant(teacher, tf.float32),
                                tf.constant(weights, tf.float32))
    np.testing.assert_allclose(loss, attention(student, teacher, weights), rtol=TOLERANCE)
    gradient = tape.gradient(loss, given).numpy()
    expected = weights[:, None, :, None] / HEADS * (softmax(student) - softmax(teacher))
    np.testing.assert_allclose(gradient, expected, atol=2e-6)
    assert abs(expected).max() > 1e-2


@pytest.mark.parametrize(("of_student", "of_teacher"), [(-1e30, -1e4), (-1e4, -1e30)])
def test_student_and_teacher_may_mask_by_different_values(of_student, of_teacher):
    student, teacher = masked_logits(1, of_student), masked_logits(2, of_teacher)
    given = tf.constant(student, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = losses.attention(given, tf.constant(teacher, tf.float32),
                                tf.constant(spread(MASK), tf.float32))
    np.testing.assert_allclose(loss, attention(masked_logits(1), masked_logits(2), spread(MASK)),
                               rtol=TOLERANCE)
    assert np.isfinite(tape.gradient(loss, given)).all()


def test_attention_is_the_published_cross_entropy_less_the_teachers_entropy():
    student, teacher, weights = masked_logits(1, -1e4), masked_logits(2, -1e4), spread(MASK)
    published = attention(student, teacher, weights, cross_entropy_with)
    entropy = attention(teacher, teacher, weights, cross_entropy_with)
    found = run("attention", student, teacher, weights)
    np.testing.assert_allclose(found, published - entropy, rtol=TOLERANCE)
    assert entropy > 0.1
    for seed in range(5):  # never below 0, also where the two are near
        near = student + 1e-3 * masked_logits(seed, 0)
        assert run("attention", near, student, weights) > -1e-6


def test_a_query_with_much_larger_logits_is_as_exact():
    student, teacher, weights = 50 * masked_logits(1), 50 * masked_logits(2), spread(MASK)
    np.testing.assert_allclose(run("attention", student, teacher, weights),
                               attention(student, teacher, weights), rtol=TOLERANCE)


# Two queries with scores of two keys and a masked one; masked entries differ, as one adds to them.
SCORES = ([[[[0, -1, -10001], [0.5, 0, -9999]]]], [[[[1, -3, -1e4], [0.5, 2, -1e4]]]])


def test_attention_scores_by_hand_with_masked_keys_left_out_or_counted_as_zeros():
    # (1 + 4 + 0 + 4) / 4, or as published over all 6.
    assert run("attention_scores", *SCORES, [[0.5, 0.5]]) == 2.25
    assert run("attention_scores", *SCORES, [[0.5, 0.5]], True) == 1.5
    student, teacher, weights = masked_logits(1), masked_logits(2), spread(MASK)
    np.testing.assert_allclose(run("attention_scores", student, teacher, weights, True),
                               attention_scores(student, teacher, weights, True), rtol=TOLERANCE)


def test_attention_scores_of_100_below_zero_are_masked_and_those_above_are_not():
    assert run("attention_scores", [[[[-100.0, 1]]]], [[[[-1e30, 2]]]], [[1.0]]) == 1
    assert run("attention_scores", [[[[-99.0, 1]]]], [[[[-1e30, 2]]]], [[1.0]]) == (99**2 + 1) / 2
    # A row without a key.
    assert run("attention_scores", [[[[-1e4]]]], [[[[-1e30]]]], [[1.0]]) == 0


@pytest.mark.parametrize(("of_student", "of_teacher"), [(-1e30, -1e30), (-1e4, -1e30)])
def test_gradient_of_attention_scores_is_their_difference_and_nothing_at_masked_keys(
        of_student, of_teacher):
    student, teacher = masked_logits(1, of_student), masked_logits(2, of_teacher)
    given = tf.constant(student, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = losses.attention_scores(given, tf.constant(teacher, tf.float32),
                                       tf.constant(spread(MASK), tf.float32))
    scale = spread(MASK)[:, None, :, None] / HEADS / MASK.sum(1)[:, None, None, None]
    expected = np.where(MASK[:, None, None], 2 * scale * (student - teacher), 0)
    np.testing.assert_allclose(tape.gradient(loss, given), expected, atol=2e-6)
