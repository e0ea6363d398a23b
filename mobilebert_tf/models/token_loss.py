"""TokenLoss: the loss of a `TokenClassifier`, for Keras."""

import tensorflow as tf
import tf_keras as keras


class TokenLoss(keras.losses.Loss):
    """The mean cross-entropy of the tokens that have a label; 0 for a batch without any.

    It is `keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=no_label)`,
    which is NaN for such a batch.

    Args:
      no_label: the target of a token without a label, below 0.
    Inputs:   targets int `(batch, width)`; logits float `(batch, width, classes)`.
    """

    def __init__(self, no_label: int):
        super().__init__()
        self._no_label = no_label

    def call(self, targets, logits):
        has_label = tf.cast(targets != self._no_label, logits.dtype)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.maximum(targets, 0), logits)
        # Keras takes the mean over all tokens.
        scale = tf.math.divide_no_nan(
            tf.cast(tf.size(has_label), logits.dtype), tf.reduce_sum(has_label))
        return losses * has_label * scale
