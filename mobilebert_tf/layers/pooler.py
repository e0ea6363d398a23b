"""Pooler: one vector for a sequence."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers import choices

# Dense poolers -> what follows the dense layer.
_ACTIVATIONS = {
    "tanh": tf.math.tanh, "relu": tf.nn.relu, "relu_tanh": lambda x: tf.nn.relu(tf.math.tanh(x))}


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class Pooler(keras.layers.Layer):
    """The vector that sentence-level heads read; `EncoderConfig.pooler` describes the kinds.

    Source: `tanh` Devlin et al. 2019; `relu` transformers' DistilBertForSequenceClassification;
    `relu_tanh` the classifier of TinyBERT's published code (arXiv:1909.10351); `first_token`
    google-research's `classifier_activation: false`, with which MobileBERT was released; `mean`
    Reimers and Gurevych 2019 (arXiv:1908.10084); `segment_match` Conneau et al. 2017
    (arXiv:1705.02364), who encode the two texts one by one, while here one pass encodes both. The
    division by the root mean square, in `scaled_first_token` and in `segment_match`, is ours: a
    fresh head fails on huge features and learns slowly from small ones.

    Args:
      kind: one of `EncoderConfig.pooler`.
      units: features in and out.
      initializer_range: standard deviation of the initial kernel.
    Inputs:   `sequence_output` `(batch, seq, units)`; `input_mask` int32 `(batch, seq)`;
      `input_type_ids` the same, 0 in the first segment, read by `segment_match` alone.
    Outputs:  `(batch, units)`; `(batch, 4 * units)` for `segment_match`.
    Masking:  means leave padding out; without any real token they are zeros.
    Weights:  `dense/{kernel,bias}` for `tanh`, `relu` and `relu_tanh`, none for the others.
    """

    def __init__(self, kind, units, initializer_range=0.02, **kwargs):
        super().__init__(**kwargs)
        self.settings = {"kind": kind, "units": units, "initializer_range": initializer_range}
        self.kind = kind
        self.dense = keras.layers.Dense(
            units, activation=_ACTIVATIONS[kind], name="dense",
            kernel_initializer=choices.kernel_initializer(initializer_range),
        ) if kind in _ACTIVATIONS else None

    def call(self, sequence_output, input_mask, input_type_ids=None):
        if self.kind == "mean":
            return _mean(sequence_output, input_mask)
        if self.kind == "segment_match":
            later = tf.cast(input_type_ids > 0, input_mask.dtype)
            first = _scaled(_mean(sequence_output, input_mask * (1 - later)))
            second = _scaled(_mean(sequence_output, input_mask * later))
            return tf.concat([first, second, tf.abs(first - second), first * second], axis=-1)
        # Slice, then drop the axis: XNNPACK takes this and not the shrinking slice of [:, 0].
        first = tf.squeeze(sequence_output[:, :1], axis=1)
        if self.dense is not None:
            return self.dense(first)
        if self.kind == "scaled_first_token":
            return _scaled(first)
        return first

    def get_config(self):
        return {**super().get_config(), **self.settings}


def _scaled(vectors):
    # In float32, because shorter types cannot hold or resolve the square of 2.5e7.
    wide = tf.cast(vectors, tf.float32)
    mean_square = tf.reduce_mean(wide * wide, axis=-1, keepdims=True)
    return tf.cast(wide * tf.math.rsqrt(mean_square + 1e-12), vectors.dtype)


def _mean(states, chosen):
    chosen = tf.cast(chosen, states.dtype)[:, :, tf.newaxis]
    count = tf.maximum(tf.reduce_sum(chosen, axis=1), 1)
    return tf.reduce_sum(states * chosen, axis=1) / count

