"""TokenLoss: the loss of a tagger, for Keras."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.data.features.tagged_tokens import NO_LABEL


class TokenLoss(keras.losses.Loss):
    """The mean cross-entropy of the tokens that have a label; 0 for a batch without any.

    It is `keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1)`, which is
    NaN for such a batch.

    Inputs:   targets int `(batch, width)`, `NO_LABEL` for pieces after a word's first, for [CLS],
              [SEP] and padding; logits float `(batch, width, classes)`.
    """

    def call(self, targets, logits):
        has_label = tf.cast(targets != NO_LABEL, logits.dtype)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            tf.maximum(targets, 0), logits)
        # Keras takes the mean over all tokens.
        scale = tf.math.divide_no_nan(
            tf.cast(tf.size(has_label), logits.dtype), tf.reduce_sum(has_label))
        return losses * has_label * scale
