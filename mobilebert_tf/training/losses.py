"""The losses of pre-training and knowledge transfer: pure functions that return a scalar.

Every mean is a weighted sum. `weights` says what a place counts for and adds up to 1 over the
whole batch, so padding is left out by a weight of 0, what google-research's code does (padding is
averaged over too) by equal weights everywhere, and parts of a batch, on other devices or one after
another, add up to the loss of the whole. `even_weights` makes them.

Shapes: b sequences, s positions, h features, a attention heads, p predictions, v pieces. States
and logits may be of any float type; everything is computed in float32.

Sources: Sun et al. 2020 (arXiv:2004.02984) names the losses; google-research's `mobilebert` code
decomposes feature map transfer into normalised features, means and variances.
"""

import tensorflow as tf


def even_weights(counted, total=None):
    """Weights that add up to 1 over everything that counts.

    Args:
      counted: any numeric type, any shape, 0 where a place does not count and 1 where it does.
      total: how many count in the whole batch, where `counted` is of a part of it.
    Outputs: float32 of the same shape; all 0 where nothing counts.
    """
    counted = tf.cast(counted, tf.float32)
    return tf.math.divide_no_nan(counted, tf.reduce_sum(counted) if total is None else total)


def feature_map(learned, taught, weights):
    """Feature map transfer: mean squared error between a block's outputs, as in the paper.

    Args:
      learned, taught: `(b, s, h)`, of the student and the teacher.
      weights: float32 `(b, s)`.
    """
    difference = _float32(taught) - _float32(learned)
    return tf.reduce_sum(weights * tf.reduce_mean(tf.square(difference), axis=-1))


def normalized_feature_map(learned, taught, weights):
    """Feature map transfer as the released code trains it: both sides layer-normalised first.

    The norm has no scale or shift and an epsilon of 1e-12. It is blind to each position's mean
    and variance, which `feature_mean` and `feature_variance` transfer.

    Args: as of `feature_map`.
    """
    return feature_map(_normalized(learned), _normalized(taught), weights)


def feature_mean(learned, taught, weights):
    """Squared difference of the mean over features, position by position.

    google-research's code compares each block's mean with those of all the teacher's blocks; here
    it is compared with the one it should match.

    Args: as of `feature_map`.
    """
    difference = tf.reduce_mean(_float32(taught), -1) - tf.reduce_mean(_float32(learned), -1)
    return tf.reduce_sum(weights * tf.square(difference))


def feature_variance(learned, taught, weights):
    """Absolute difference of the variance (biased) over features, position by position.

    Args: as of `feature_map`.
    """
    difference = _variance(_float32(taught)) - _variance(_float32(learned))
    return tf.reduce_sum(weights * tf.abs(difference))


def attention(learned_logits, taught_logits, weights):
    """Attention transfer: KL(teacher || student) of the attention distributions, mean over heads.

    google-research's code leaves out the teacher's entropy, a constant; with it the loss of equal
    maps is 0.

    Args:
      learned_logits, taught_logits: `(b, a, s, s)`, scaled and masked, before the softmax.
      weights: float32 `(b, s)`, of the query positions.
    """
    return tf.reduce_sum(weights * tf.reduce_mean(_divergence(learned_logits, taught_logits), 1))


def masked_lm(logits, labels, weights):
    """Masked-LM cross-entropy.

    Args:
      logits: `(b, p, v)`.
      labels: int `(b, p)`, the original pieces.
      weights: float32 `(b, p)`, 0 where nothing was masked.
    """
    return _cross_entropy(logits, labels, weights)


def next_sentence(logits, labels, weights):
    """Next-sentence cross-entropy.

    Args:
      logits: `(b, 2)`; class 0 = the second part follows the first, 1 = it is random.
      labels: int `(b,)`; anything where the weight is 0.
      weights: float32 `(b,)`.
    """
    return _cross_entropy(logits, labels, weights)


def masked_lm_distillation(learned_logits, taught_logits, weights, temperature=1.0):
    """Pre-training distillation: temperature^2 * KL(teacher || student) over the vocabulary.

    The temperature divides the logits of both sides, and its square keeps gradients of the same
    size (Hinton et al. 2015, arXiv:1503.02531, section 2). google-research's code multiplies the
    teacher's hidden states instead, which is the same at a temperature of 1 only. The paper's
    L_PD is alpha * masked_lm + (1 - alpha) * this + next_sentence.

    Args:
      learned_logits, taught_logits: `(b, p, v)`.
      weights: float32 `(b, p)`.
      temperature: above 0.
    """
    divergence = _divergence(_float32(learned_logits) / temperature,
                             _float32(taught_logits) / temperature)
    return temperature**2 * tf.reduce_sum(weights * divergence)


def sentence_embedding(learned, taught, weights):
    """1 - cosine between the vectors of a sequence, as sentence embeddings are compared.

    Args:
      learned, taught: `(b, h)`.
      weights: float32 `(b,)`.
    """
    learned, taught = (tf.math.l2_normalize(_float32(side), axis=-1) for side in (learned, taught))
    return tf.reduce_sum(weights * (1.0 - tf.reduce_sum(learned * taught, axis=-1)))


def _float32(tensor):
    return tf.cast(tensor, tf.float32)


def _variance(features):
    return tf.reduce_mean(tf.square(features - tf.reduce_mean(features, -1, keepdims=True)), -1)


def _normalized(features):
    features = _float32(features)
    centered = features - tf.reduce_mean(features, -1, keepdims=True)
    return centered * tf.math.rsqrt(tf.reduce_mean(tf.square(centered), -1, keepdims=True) + 1e-12)


def _cross_entropy(logits, labels, weights):
    # A label of -1, "none", has a weight of 0 and must still be a class to the kernel.
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.maximum(labels, 0), _float32(logits))
    return tf.reduce_sum(weights * losses)


def _divergence(learned_logits, taught_logits):
    """KL(teacher || student) over the last axis, exactly 0 for equal logits.

    Written out, since TensorFlow's cross-entropy kernel takes as long as the rest of a training
    step where rows are as short as attention's.
    """
    learned_logits, taught_logits = _float32(learned_logits), _float32(taught_logits)
    taught_sum = tf.reduce_logsumexp(taught_logits, axis=-1, keepdims=True)
    learned_sum = tf.reduce_logsumexp(learned_logits, axis=-1, keepdims=True)
    probabilities = tf.exp(taught_logits - taught_sum)
    difference = taught_logits - learned_logits
    return (tf.reduce_sum(probabilities * difference, axis=-1)
            - tf.squeeze(taught_sum - learned_sum, axis=-1))
