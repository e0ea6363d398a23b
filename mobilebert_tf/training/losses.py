"""The losses of pre-training and knowledge transfer: pure functions.

Every loss is a weighted sum over places (tokens, predictions, sequences). The weights come from
`even_weights` and add up to 1 over the whole batch, so the sum is a mean. Padding has a weight of
0, unless a stage counts it; google-research's code does, with equal weights everywhere. The losses
of parts of a batch add up to the loss of the whole batch.

Shapes: b sequences, s positions, h features, a attention heads, p predictions, v pieces. Outputs
may have any float type. Every loss is computed in float32 and returned as a scalar.

Sources: Sun et al. 2020 (arXiv:2004.02984) define most of the losses. google-research's
`mobilebert` code splits feature map transfer into normalized features, means and variances. The
losses of TinyBERT, DistilBERT, BERT-PKD and MiniLM name their papers.
"""

import tensorflow as tf

from mobilebert_tf.kinds.soft_labels import divergence, softmax_divergence
from mobilebert_tf.training import relations
from mobilebert_tf.training.divergence import factored_divergence

_MASKED_SCORE = -100.0  # TinyBERT's code takes this and all below it for masked.


def even_weights(counted, total=None):
    """Return equal weights for all places that count; they add up to 1.

    Args:
      counted: any numeric type, any shape; 1 for each place that counts and 0 for the others.
      total: how many places count in the whole batch, if `counted` belongs to a part of it.
    Returns:
      float32 of the same shape; all 0 if no place counts.
    """
    counted = tf.cast(counted, tf.float32)
    return tf.math.divide_no_nan(counted, tf.reduce_sum(counted) if total is None else total)


def feature_map(student_output, teacher_output, weights):
    """Feature map transfer as in the paper: mean squared error between the outputs of two blocks.

    Args:
      student_output, teacher_output: `(b, s, h)`.
      weights: float32 `(b, s)`.
    """
    difference = _float32(teacher_output) - _float32(student_output)
    return tf.reduce_sum(weights * tf.reduce_mean(tf.square(difference), axis=-1))


def projected_feature_map(student_output, teacher_output, weights, project):
    """TinyBERT's hidden states: mean squared error after a trained projection of the student's.

    mean over the teacher's features of (t - (s W + b))^2. The widths may differ. The loss of a
    model with itself is not 0, because a projection does not start as the identity.

    Source: Jiao et al. 2020 (arXiv:1909.10351), equations 8 and 9; the bias from the authors' code.

    Args:
      student_output: `(b, s, h)`.
      teacher_output: `(b, s, h')`.
      weights: float32 `(b, s)`.
      project: `(b, s, h)` -> `(b, s, h')`.
    """
    return feature_map(project(student_output), teacher_output, weights)


def normalized_feature_map(student_output, teacher_output, weights):
    """Feature map transfer as in google-research's code: both outputs are layer-normalized first.

    The norm has no scale or shift and an epsilon of 1e-12. It removes the mean and the variance
    of each position; `feature_mean` and `feature_variance` transfer these.

    Args: see `feature_map`.
    """
    return feature_map(_normalized(student_output), _normalized(teacher_output), weights)


def feature_mean(student_output, teacher_output, weights):
    """Squared difference between the means over the features of each position.

    google-research's code compares a block's mean with the means of all blocks of the teacher.
    Here it is compared with the one block that it should match.

    Args: see `feature_map`.
    """
    difference = (tf.reduce_mean(_float32(teacher_output), -1)
                  - tf.reduce_mean(_float32(student_output), -1))
    return tf.reduce_sum(weights * tf.square(difference))


def feature_variance(student_output, teacher_output, weights):
    """Absolute difference between the (biased) variances over the features of each position.

    Args: see `feature_map`.
    """
    difference = _variance(_float32(teacher_output)) - _variance(_float32(student_output))
    return tf.reduce_sum(weights * tf.abs(difference))


def attention(student_logits, teacher_logits, weights):
    """Attention transfer: KL(teacher || student) of the attention distributions, mean over heads.

    google-research's code leaves out the teacher's entropy, which is a constant. With it, equal
    distributions have a loss of 0.

    Args:
      student_logits, teacher_logits: `(b, a, s, s)`, scaled and masked, before the softmax.
      weights: float32 `(b, s)`, for the query positions.
    """
    return tf.reduce_sum(weights * tf.reduce_mean(divergence(student_logits, teacher_logits), 1))


def attention_scores(student_logits, teacher_logits, weights, count_padding=False):
    """TinyBERT's attention transfer: mean squared error of the scores before the softmax.

    mean over heads and keys of (t - s)^2. Scores of -100 and less are masked and become 0 on both
    sides, as in the published code. So the additive masks may differ, but both must be far below
    -100. Keys that student and teacher mask are left out of the mean. The published code counts
    them as zeros, so its loss falls with the amount of padding.

    Source: Jiao et al. 2020 (arXiv:1909.10351); the rule for masked scores from the authors' code.

    Args:
      student_logits, teacher_logits: `(b, a, s, s)`, scaled and masked, before the softmax.
      weights: float32 `(b, s)`, for the query positions.
      count_padding: count masked keys in the mean, as published.
    """
    student_logits, teacher_logits = _float32(student_logits), _float32(teacher_logits)
    squares = tf.square(_without_mask(teacher_logits) - _without_mask(student_logits))
    if count_padding:
        means = tf.reduce_mean(squares, -1)
    else:
        is_key = tf.maximum(student_logits, teacher_logits) > _MASKED_SCORE
        means = tf.math.divide_no_nan(tf.reduce_sum(squares, -1),
                                      tf.reduce_sum(_float32(is_key), -1))
    return tf.reduce_sum(weights * tf.reduce_mean(means, 1))


# MiniLM's.
query_relation = key_relation = value_relation = relations.relation


def patience(student_output, teacher_output, weights, normalize_patience=True):
    """BERT-PKD's patience: mean squared error of the [CLS] states, each divided by its L2 norm.

    mean over the features of (t / |t| - s / |s|)^2 at position 0. The paper's equation sums over
    features and blocks; this is a mean over both, as in the authors' code. Multiply the stage's
    weight by both numbers to have the sum.

    Source: Sun et al. 2019 (arXiv:1908.09355).

    Args:
      student_output, teacher_output: `(b, s, h)`, with [CLS] first.
      weights: float32 `(b,)`.
      normalize_patience: divide by the norms; the authors' code can also leave the states alone.
    """
    student, teacher = student_output[:, 0], teacher_output[:, 0]
    if normalize_patience:
        student, teacher = _unit(student), _unit(teacher)
    return feature_map(student, teacher, weights)


def masked_lm(logits, labels, weights):
    """Masked-LM cross-entropy.

    Args:
      logits: `(b, p, v)`.
      labels: int `(b, p)`, the ids of the original pieces.
      weights: float32 `(b, p)`, 0 for a prediction that is padding.
    """
    return _cross_entropy(logits, labels, weights)


def next_sentence(logits, labels, weights):
    """Next-sentence cross-entropy.

    Args:
      logits: `(b, 2)`; class 0 = the second part follows the first, 1 = it is random.
      labels: int `(b,)`; any number where the weight is 0.
      weights: float32 `(b,)`.
    """
    return _cross_entropy(logits, labels, weights)


def masked_lm_distillation(student_logits, teacher_logits, weights, temperature=1.0):
    """Pre-training distillation: temperature^2 * KL(teacher || student) over the vocabulary.

    The temperature divides the logits of student and teacher. Its square keeps the size of the
    gradients (Hinton et al. 2015, arXiv:1503.02531, section 2). google-research's code multiplies
    the teacher's hidden states instead, which is only the same at a temperature of 1. The paper's
    L_PD is alpha * masked_lm + (1 - alpha) * this + next_sentence.

    Args:
      student_logits, teacher_logits: `(b, p, v)`.
      weights: float32 `(b, p)`.
      temperature: above 0.
    """
    return tf.reduce_sum(weights * softmax_divergence(student_logits, teacher_logits, temperature))


def all_token_distillation(student_factors, teacher_factors, weights, temperature=1.0):
    """DistilBERT's distillation: `masked_lm_distillation` over all tokens, not the masked ones.

    Its mean over tokens is torch's `batchmean` in the authors' code. The logits are given by their
    factors and computed a few tokens at a time; see `factored_divergence`.

    Source: Sanh et al. 2019 (arXiv:1910.01108), and distiller.py of its code.

    Args:
      student_factors, teacher_factors: (states `(b, s, h)`, matrix `(v, h)`, bias `(v,)`), whose
        logits are states matrix^T + bias; h may differ.
      weights: float32 `(b, s)`.
      temperature: above 0.
    """
    student, teacher = (
        (tf.reshape(_float32(states) / temperature, (-1, states.shape[-1])), _float32(matrix),
         _float32(bias) / temperature)
        for states, matrix, bias in (student_factors, teacher_factors))
    return temperature**2 * factored_divergence(student, teacher, tf.reshape(weights, [-1]))


def sentence_embedding(student_output, teacher_output, weights):
    """1 - cosine of the sentence embeddings of student and teacher.

    Args:
      student_output, teacher_output: `(b, h)`.
      weights: float32 `(b,)`.
    """
    cosine = tf.reduce_sum(_unit(student_output) * _unit(teacher_output), axis=-1)
    return tf.reduce_sum(weights * (1.0 - cosine))


def last_state_cosine(student_output, teacher_output, weights):
    """DistilBERT's cosine loss: 1 - cosine of the last hidden states of each token.

    Source: Sanh et al. 2019 (arXiv:1910.01108), and the authors' code, which leaves padding out
    of the mean.

    Args:
      student_output, teacher_output: `(b, s, h)`.
      weights: float32 `(b, s)`.
    """
    return sentence_embedding(student_output, teacher_output, weights)


def _float32(tensor):
    return tf.cast(tensor, tf.float32)


def _unit(features):
    return tf.math.l2_normalize(_float32(features), axis=-1)


def _without_mask(logits):
    return tf.where(logits <= _MASKED_SCORE, 0.0, logits)


def _variance(features):
    return tf.reduce_mean(tf.square(features - tf.reduce_mean(features, -1, keepdims=True)), -1)


def _normalized(features):
    features = _float32(features)
    centered = features - tf.reduce_mean(features, -1, keepdims=True)
    return centered * tf.math.rsqrt(tf.reduce_mean(tf.square(centered), -1, keepdims=True) + 1e-12)


def _cross_entropy(logits, labels, weights):
    # The kernel refuses -1, which stands for "no label" and has a weight of 0.
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.maximum(labels, 0), _float32(logits))
    return tf.reduce_sum(weights * losses)
