"""Every loss by hand and against NumPy in float64; versions that are wrong must be seen."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.training import losses

TOLERANCE = 1e-5
BATCH, LENGTH, FEATURES, HEADS, PREDICTIONS, PIECES = 3, 6, 8, 2, 4, 11
MASK = np.arange(LENGTH) < [[6], [4], [1]]  # no, some and much padding
PREDICTED = np.arange(PREDICTIONS) < [[4], [1], [0]]


def spread(counted):
    """What `even_weights` should give, in float64."""
    return counted / counted.sum()


# ---- The models in NumPy: (student, teacher, weights[, labels or temperature]) -> float ----


def feature_map(student, teacher, weights):
    return (weights * ((student - teacher) ** 2).mean(-1)).sum()


def layer_normed(x, ddof=0):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True, ddof=ddof) + 1e-12)


def normalized_feature_map(student, teacher, weights):
    return feature_map(layer_normed(student), layer_normed(teacher), weights)


def feature_mean(student, teacher, weights):
    return (weights * (student.mean(-1) - teacher.mean(-1)) ** 2).sum()


def feature_variance(student, teacher, weights):
    return (weights * abs(student.var(-1) - teacher.var(-1))).sum()


def log_softmax(logits):
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def softmax(logits):
    return np.exp(log_softmax(logits))


def kl(student, teacher):
    return (softmax(teacher) * (log_softmax(teacher) - log_softmax(student))).sum(-1)


def cross_entropy_with(student, teacher):
    """google-research's attention transfer: without the teacher's entropy."""
    return -(softmax(teacher) * log_softmax(student)).sum(-1)


def attention(student, teacher, weights, divergence=kl):
    return (weights * divergence(student, teacher).mean(1)).sum()


def attention_scores(student, teacher, weights, count_padding=False):
    student, teacher = (np.where(side <= -100, 0, side) for side in (student, teacher))
    squares = (student - teacher) ** 2
    keys = np.broadcast_to(spread(np.ones(LENGTH)) if count_padding else
                           (MASK / MASK.sum(1, keepdims=True))[:, None, None], squares.shape)
    return (weights * (keys * squares).sum(-1).mean(1)).sum()


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def patience(student, teacher, weights):
    return feature_map(unit(student[:, 0]), unit(teacher[:, 0]), weights)


def masked_lm_distillation(student, teacher, weights, temperature=1.0):
    return temperature**2 * (weights * kl(student / temperature, teacher / temperature)).sum()


def label_cross_entropy(logits, labels, weights):
    chosen = np.take_along_axis(log_softmax(logits), np.maximum(labels, 0)[..., None], -1)
    return -(weights * chosen[..., 0]).sum()


def sentence_embedding(student, teacher, weights):
    norms = np.linalg.norm(student, axis=-1) * np.linalg.norm(teacher, axis=-1)
    return (weights * (1 - (student * teacher).sum(-1) / norms)).sum()


# ---- Random values on which all differ ----


def states(seed):
    random = np.random.default_rng(seed)
    scale = random.uniform(0.5, 3, (BATCH, LENGTH, 1))
    return random.normal(0.3 * scale, scale, (BATCH, LENGTH, FEATURES))


def masked_logits(seed, value=-1e30):
    logits = np.random.default_rng(seed).normal(0, 2, (BATCH, HEADS, LENGTH, LENGTH))
    return logits + np.where(MASK, 0, value)[:, None, None, :]


def piece_logits(seed):
    return np.random.default_rng(seed).normal(0, 3, (BATCH, PREDICTIONS, PIECES))


def vectors(seed):
    return np.random.default_rng(seed).normal(0.2, 1, (BATCH, FEATURES))


# Name -> (the model, values by seed, what counts).
PAIRED = {
    "feature_map": (feature_map, states, MASK),
    "normalized_feature_map": (normalized_feature_map, states, MASK),
    "feature_mean": (feature_mean, states, MASK),
    "feature_variance": (feature_variance, states, MASK),
    "attention": (attention, masked_logits, MASK),
    "attention_scores": (attention_scores, masked_logits, MASK),
    "patience": (patience, states, np.ones(BATCH, bool)),
    "last_state_cosine": (sentence_embedding, states, MASK),
    "masked_lm_distillation": (masked_lm_distillation, piece_logits, PREDICTED),
    "sentence_embedding": (sentence_embedding, vectors, np.ones(BATCH, bool)),
}


def run(name, student, teacher, weights, *more):
    return float(getattr(losses, name)(
        tf.constant(student, tf.float32), tf.constant(teacher, tf.float32),
        tf.constant(weights, tf.float32), *more))


def assert_seen(wrong, right):
    assert abs(wrong - right) > 100 * TOLERANCE * abs(right)


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


# ---- Attention ----


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


# ---- Temperature ----


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


# ---- Wrong versions ----


def per_position(student, teacher):
    return ((student - teacher) ** 2).mean(-1)


def batchmean(student, teacher):
    """PyTorch's `batchmean`: a sum over everything but the batch."""
    return kl(student, teacher).mean(1).sum() / BATCH


MUTANTS = {
    "feature_map": {
        "sum over features": lambda a, b, w: (w * ((a - b) ** 2).sum(-1)).sum(),
        "sum over positions": lambda a, b, w: (MASK * per_position(a, b)).sum(),
        "mean over padding": lambda a, b, w: per_position(a, b).mean(),
        "zeros averaged": lambda a, b, w: (MASK * per_position(a, b)).mean(),
        "mean of the rows' means": lambda a, b, w: (
            (MASK * per_position(a, b)).sum(1) / MASK.sum(1)).mean(),
        "root": lambda a, b, w: (w * np.sqrt(per_position(a, b))).sum(),
        "absolute": lambda a, b, w: (w * abs(a - b).mean(-1)).sum(),
        "normalised": normalized_feature_map,
    },
    "normalized_feature_map": {
        "not normalised": feature_map,
        "one side": lambda a, b, w: feature_map(a, layer_normed(b), w),
        "unbiased variance": lambda a, b, w: feature_map(layer_normed(a, 1), layer_normed(b, 1), w),
        "over positions": lambda a, b, w: feature_map(
            layer_normed(a.swapaxes(1, 2)).swapaxes(1, 2),
            layer_normed(b.swapaxes(1, 2)).swapaxes(1, 2), w),
    },
    "feature_mean": {
        "absolute": lambda a, b, w: (w * abs(a.mean(-1) - b.mean(-1))).sum(),
        "sum": lambda a, b, w: (w * (a.sum(-1) - b.sum(-1)) ** 2).sum(),
        "over positions": lambda a, b, w: ((a.mean(1) - b.mean(1)) ** 2).mean(),
        "all the teacher's layers": lambda a, b, w: np.mean(
            [feature_mean(a, layer, w) for layer in (b, states(3), states(4))]),
    },
    "feature_variance": {
        "squared": lambda a, b, w: (w * (a.var(-1) - b.var(-1)) ** 2).sum(),
        "unbiased": lambda a, b, w: (w * abs(a.var(-1, ddof=1) - b.var(-1, ddof=1))).sum(),
        "deviation": lambda a, b, w: (w * abs(a.std(-1) - b.std(-1))).sum(),
        "all the teacher's layers": lambda a, b, w: np.mean(
            [feature_variance(a, layer, w) for layer in (b, states(3), states(4))]),
    },
    "attention": {
        "reversed": lambda a, b, w: attention(b, a, w),
        "cross-entropy": lambda a, b, w: attention(a, b, w, cross_entropy_with),
        "double softmax": lambda a, b, w: attention(softmax(a), softmax(b), w),
        "sum over heads": lambda a, b, w: HEADS * attention(a, b, w),
        "mean over keys": lambda a, b, w: attention(a, b, w) / LENGTH,
        "batchmean": lambda a, b, w: batchmean(a, b),
        "squared logits": lambda a, b, w: attention(
            a, b, w, lambda c, d: np.where(c > -1e29, (c - d) ** 2, 0).mean(-1)),
    },
    "attention_scores": {
        "masked keys counted": lambda a, b, w: attention_scores(a, b, w, True),
        "sum over keys": lambda a, b, w: (
            w * np.where(b > -100, (a - b) ** 2, 0).sum(-1).mean(1)).sum(),
        "sum over heads": lambda a, b, w: HEADS * attention_scores(a, b, w),
        "probabilities": lambda a, b, w: attention_scores(softmax(a), softmax(b), w),
    },
    "patience": {
        "raw": lambda a, b, w: feature_map(a[:, 0], b[:, 0], w),
        "sum over features": lambda a, b, w: FEATURES * patience(a, b, w),
        "last position": lambda a, b, w: patience(a[:, ::-1], b[:, ::-1], w),
        "all positions": lambda a, b, w: feature_map(unit(a), unit(b), w[:, None] / LENGTH),
        "one side": lambda a, b, w: feature_map(a[:, 0], unit(b)[:, 0], w),
    },
    "last_state_cosine": {
        "mean over padding": lambda a, b, w: sentence_embedding(a, b, np.ones_like(w) / w.size),
        "over positions": lambda a, b, w: sentence_embedding(
            a.swapaxes(1, 2), b.swapaxes(1, 2), np.ones((BATCH, FEATURES)) / BATCH / FEATURES),
        "no norm": lambda a, b, w: (w * (1 - (a * b).sum(-1))).sum(),
        "first position": lambda a, b, w: sentence_embedding(
            a[:, 0], b[:, 0], np.ones(BATCH) / BATCH),
    },
    "masked_lm_distillation": {
        "reversed": lambda a, b, w: masked_lm_distillation(b, a, w),
        "cross-entropy": lambda a, b, w: (w * cross_entropy_with(a, b)).sum(),
        "double softmax": lambda a, b, w: masked_lm_distillation(softmax(a), softmax(b), w),
        "mean over pieces": lambda a, b, w: masked_lm_distillation(a, b, w) / PIECES,
        "mean over places without a prediction": lambda a, b, w: kl(a, b).mean(),
    },
    "sentence_embedding": {
        "no norm": lambda a, b, w: (w * (1 - (a * b).sum(-1))).sum(),
        "cosine itself": lambda a, b, w: 1 - sentence_embedding(a, b, w),
        "squared distance": lambda a, b, w: 2 * sentence_embedding(a, b, w),
        "one vector of all rows": lambda a, b, w: sentence_embedding(
            a.reshape(1, -1), b.reshape(1, -1), np.ones(1)),
    },
}


@pytest.mark.parametrize(("name", "wrong"), [
    (name, wrong) for name, mutants in MUTANTS.items() for wrong in mutants])
def test_a_wrong_version_would_be_seen(name, wrong):
    model, values, counted = PAIRED[name]
    student, teacher, weights = values(1), values(2), spread(counted)
    right = run(name, student, teacher, weights)
    np.testing.assert_allclose(right, model(student, teacher, weights), rtol=TOLERANCE)
    assert_seen(MUTANTS[name][wrong](student, teacher, weights), right)
