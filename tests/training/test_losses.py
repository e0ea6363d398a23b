"""Every loss by hand and against NumPy in float64."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.training import losses

from .numpy_losses import (
    BATCH,
    PAIRED,
    PIECES,
    PREDICTED,
    PREDICTIONS,
    TOLERANCE,
    assert_seen,
    label_cross_entropy,
    masked_logits,
    piece_logits,
    run,
    sentence_embedding,
    spread,
)

# ---- By hand ----


@pytest.mark.parametrize(("name", "student", "teacher", "expected"), [
    # Two positions of the same weight: ((1 + 9) / 2 + (4 + 0) / 2) / 2
    ("feature_map", [[[1, 2], [0, 1]]], [[[2, 5], [2, 1]]], 3.5),
    # LN of (0, 2) is (-1, 1), of (5, 3) is (1, -1): 4; two that differ in mean and scale only: 0.
    ("normalized_feature_map", [[[0, 2], [0, 1]]], [[[5, 3], [3, 7]]], 2.0),
    # Means 1.5 and 0.5 against 3.5 and 1.5: (4 + 1) / 2
    ("feature_mean", [[[1, 2], [0, 1]]], [[[2, 5], [2, 1]]], 2.5),
    # Biased variances 0.25 and 1 against 2.25 and 0.25: (2 + 0.75) / 2
    ("feature_variance", [[[1, 2], [0, 2]]], [[[2, 5], [2, 1]]], 1.375),
    # One head; from (1/2, 1/2) to (3/4, 1/4), then from equal to equal.
    ("attention", [[[[0, 0], [7, 7]]]], [[[[np.log(3), 0], [1, 1]]]],
     (0.75 * np.log(1.5) + 0.25 * np.log(0.5)) / 2),
    ("masked_lm_distillation", [[[0, 0], [7, 7]]], [[[np.log(3), 0], [1, 1]]],
     (0.75 * np.log(1.5) + 0.25 * np.log(0.5)) / 2),
])
def test_values_by_hand(name, student, teacher, expected):
    np.testing.assert_allclose(run(name, student, teacher, [[0.5, 0.5]]), expected, rtol=1e-5)


def test_vectors_at_right_angles_are_1_apart_and_opposite_ones_2():
    student, teacher = [[3, 0], [1, 1]], [[0, 5], [-2, -2]]
    np.testing.assert_allclose(run("sentence_embedding", student, teacher, [1, 0]), 1, rtol=1e-6)
    np.testing.assert_allclose(run("sentence_embedding", student, teacher, [0, 1]), 2, rtol=1e-6)


@pytest.mark.parametrize("loss", [losses.masked_lm, losses.next_sentence])
def test_cross_entropy_of_labels_by_hand(loss):
    logits, labels, weights = [[0, np.log(3)], [np.log(4), 0]], [1, 1], [0.75, 0.25]
    if loss is losses.masked_lm:
        logits, labels, weights = [logits], [labels], [weights]
    found = loss(tf.constant(logits, tf.float32), tf.constant(labels),
                 tf.constant(weights, tf.float32))
    np.testing.assert_allclose(found, 0.75 * np.log(4 / 3) + 0.25 * np.log(5), rtol=1e-6)


def test_even_weights_add_up_to_1_and_nothing_counted_gives_0():
    weights = losses.even_weights(tf.constant([[1, 1, 0], [1, 0, 0]]))
    assert weights.dtype == tf.float32
    np.testing.assert_allclose(weights, [[1 / 3, 1 / 3, 0], [1 / 3, 0, 0]], rtol=1e-6)
    np.testing.assert_array_equal(losses.even_weights(tf.zeros((2, 2))), np.zeros((2, 2)))
    np.testing.assert_allclose(losses.even_weights(tf.constant([1.0, 0.0]), 8), [0.125, 0])
    np.testing.assert_array_equal(losses.even_weights(tf.constant([0.0]), tf.constant(0.0)), [0])


# ---- Against NumPy ----


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("padding", ["left out", "counted"])
def test_is_the_numpy_model_with_padding_left_out_or_counted(name, padding):
    model, values, counted = PAIRED[name]
    student, teacher = values(1), values(2)
    weights = spread(counted if padding == "left out" else np.ones_like(counted))
    found = run(name, student, teacher, weights)
    np.testing.assert_allclose(found, model(student, teacher, weights), rtol=TOLERANCE)
    if not counted.all():
        other = spread(counted if padding == "counted" else np.ones_like(counted))
        assert_seen(model(student, teacher, other), found)
    # What has no weight may hold anything finite.
    by_place = np.moveaxis(teacher, 2, 1) if values is masked_logits else teacher  # queries first
    by_place[~counted] = 50.0
    np.testing.assert_allclose(run(name, student, teacher, spread(counted)),
                               run(name, student, values(2), spread(counted)), rtol=1e-6)


def test_label_losses_are_the_numpy_model_and_a_label_of_minus_1_is_none():
    logits = piece_logits(1)
    labels = np.random.default_rng(2).integers(0, PIECES, (BATCH, PREDICTIONS))
    weights = spread(PREDICTED)
    expected = label_cross_entropy(logits, labels, weights)
    for filler in (0, -1):
        found = losses.masked_lm(tf.constant(logits, tf.float32),
                                 tf.constant(np.where(PREDICTED, labels, filler), tf.int32),
                                 tf.constant(weights, tf.float32))
        np.testing.assert_allclose(found, expected, rtol=TOLERANCE)
    pairs = logits[:, 0, :2]
    labels = tf.constant([1, -1, 0])
    weights = tf.constant([0.5, 0, 0.5])
    with tf.GradientTape() as tape:
        given = tf.constant(pairs, tf.float32)
        tape.watch(given)
        found = losses.next_sentence(given, labels, weights)
    np.testing.assert_allclose(found, label_cross_entropy(pairs, labels.numpy(), weights.numpy()),
                               rtol=TOLERANCE)
    gradient = tape.gradient(found, given).numpy()
    assert not gradient[1].any()
    assert gradient[[0, 2]].all()


@pytest.mark.parametrize("name", PAIRED)
def test_a_thing_is_no_distance_from_itself(name):
    model, values, counted = PAIRED[name]
    found = run(name, values(1), values(1), spread(np.ones_like(counted)))
    if model is sentence_embedding:
        assert abs(found) < 1e-6
    else:
        assert found == 0


@pytest.mark.parametrize("name", PAIRED)
def test_parts_of_a_batch_add_up_to_the_whole(name):
    """With padding of different amounts: a mean of the parts' means would be another number."""
    _, values, counted = PAIRED[name]
    student, teacher = values(1), values(2)
    whole = run(name, student, teacher, spread(counted))
    parts = [run(name, student[rows], teacher[rows], losses.even_weights(counted[rows],
                                                                         counted.sum()))
             for rows in (slice(0, 1), slice(1, 3))]
    np.testing.assert_allclose(sum(parts), whole, rtol=1e-6)
    means = [run(name, student[rows], teacher[rows], losses.even_weights(counted[rows]))
             for rows in (slice(0, 1), slice(1, 3))]
    assert_seen(np.mean(means), whole)


@pytest.mark.parametrize("name", PAIRED)
def test_half_precision_is_computed_in_float32(name):
    model, values, counted = PAIRED[name]
    student, teacher = (tf.cast(tf.constant(values(seed)), tf.bfloat16) for seed in (1, 2))
    found = getattr(losses, name)(student, teacher, tf.constant(spread(counted), tf.float32))
    assert found.dtype == tf.float32
    expected = model(*(tf.cast(side, tf.float64).numpy() for side in (student, teacher)),
                     spread(counted))
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE)


# ---- [CLS] and last states ----


def test_patience_by_hand():
    """One text after another: ((0.6^2 + 0.2^2) + (1 + 1)) / 4; only the first position counts."""
    student, teacher = [[[3, 4], [9, 9]], [[1, 0], [7, 1]]], [[[0, 5], [1, 2]], [[0, 2], [3, 3]]]
    np.testing.assert_allclose(run("patience", student, teacher, [0.5, 0.5]), 0.6, rtol=1e-6)


def test_last_state_cosine_by_hand():
    """Vectors at 45 degrees, and two that differ in length alone."""
    student, teacher = [[[1, 0], [3, 4]]], [[[1, 1], [6, 8]]]
    np.testing.assert_allclose(run("last_state_cosine", student, teacher, [[0.5, 0.5]]),
                               (1 - np.sqrt(0.5)) / 2, rtol=1e-5)
