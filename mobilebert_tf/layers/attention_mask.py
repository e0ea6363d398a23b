"""AttentionMask: the term added to attention logits, from the mask of real tokens."""

import tensorflow as tf
import tf_keras as keras


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class AttentionMask(keras.layers.Layer):
    """0 at real tokens, `value` at padding, as in google-research's release and transformers.

    Only keys are masked: outputs at padding are still computed, as in the references. The layer
    computes in float32 under every policy, so that no value overflows to an infinity.

    Args:
      value: the term at padding; see `EncoderConfig.attention_mask_value`.
    Inputs:   `input_mask`: int32 `(batch, seq)`, 1 = real token, 0 = padding.
    Outputs:  float32 `(batch, 1, 1, seq)`.
    """

    def __init__(self, value, **kwargs):
        super().__init__(**(kwargs | {"dtype": "float32"}))
        self.value = value

    def call(self, input_mask):
        padding = 1.0 - tf.cast(input_mask, tf.float32)
        return (padding * self.value)[:, tf.newaxis, tf.newaxis, :]

    def get_config(self):
        return {**super().get_config(), "value": self.value}
