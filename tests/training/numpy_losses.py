"""The losses in NumPy, in float64, and random values on which all of them differ."""

import numpy as np
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
