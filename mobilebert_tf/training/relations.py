"""The relations of MiniLM: how the tokens of a text relate to each other inside attention."""

import tensorflow as tf

from mobilebert_tf.kinds.soft_labels import divergence

_NO_RELATION = -1e9  # Its exponential is 0 beside that of any other logit.


def relation(student_features, teacher_features, weights, input_mask, relation_heads):
    """MiniLM's self-attention relations: KL(teacher || student) of how tokens relate to each other.

    The features of all heads are cut into R relation heads of d / R features, X_r, and

        relation_r = softmax(X_r X_r^T / sqrt(d / R)),

    over the tokens that are not padding. The loss is the mean over heads. Only R must be the same
    for student and teacher: widths and heads of attention may differ.

    Source: Wang et al. 2020 (arXiv:2002.10957), value-relation transfer, with the heads of
    attention; Wang et al. 2021 (arXiv:2012.15828) for queries, keys and relation heads.

    Args:
      student_features, teacher_features: queries, keys or values of all heads, `(b, s, d)` with a
        width d of its own each, before any scaling.
      weights: float32 `(b, s)`, for the rows of the relations.
      input_mask: int `(b, s)`, 1 for each token that is not padding.
      relation_heads: R, which divides both widths.
    """
    is_key = tf.cast(input_mask, tf.bool)[:, tf.newaxis, tf.newaxis]
    student_logits, teacher_logits = (
        tf.where(is_key, _logits(features, relation_heads), _NO_RELATION)
        for features in (student_features, teacher_features))
    return tf.reduce_sum(weights * tf.reduce_mean(divergence(student_logits, teacher_logits), 1))


def _logits(features, heads):
    """`(b, s, d)` -> `(b, heads, s, s)`, the scaled products of all pairs of tokens."""
    batch, length = tf.unstack(tf.shape(features)[:2])
    size = features.shape[-1] // heads
    split = tf.reshape(tf.cast(features, tf.float32) / size**0.25, (batch, length, heads, size))
    split = tf.transpose(split, (0, 2, 1, 3))
    return tf.matmul(split, split, transpose_b=True)
