"""Versions of the losses that are wrong: each gives another number."""

import numpy as np
import pytest

from .numpy_losses import (
    BATCH,
    FEATURES,
    HEADS,
    LENGTH,
    MASK,
    PAIRED,
    PIECES,
    TOLERANCE,
    assert_seen,
    attention,
    attention_scores,
    cross_entropy_with,
    feature_map,
    feature_mean,
    feature_variance,
    kl,
    layer_normed,
    masked_lm_distillation,
    normalized_feature_map,
    patience,
    run,
    sentence_embedding,
    softmax,
    spread,
    states,
    unit,
)


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
