"""SelfAttention: multi-head attention that shows its logits."""

import math

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers import building, choices
from mobilebert_tf.layers.dense import Dense
from mobilebert_tf.layers.dropout import Dropout


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class SelfAttention(keras.layers.Layer):
    """softmax(Q K^T / sqrt(d) + mask) V, head by head, with the logits and probabilities.

    Source: Vaswani et al. 2017 (arXiv:1706.03762); as in Sun et al. 2020 (arXiv:2004.02984),
    queries and keys may be projected from another tensor than values. Attention transfer needs
    logits, and `keras.layers.MultiHeadAttention` returns probabilities only. Logits and softmax
    are float32 under every policy.

    Args:
      num_heads: heads; divides `units`.
      units: features out, over all heads. Columns `[h * d, (h + 1) * d)` belong to head h.
      dropout: rate on the probabilities.
      initializer_range: standard deviation of the initial kernels.
    Inputs:
      query_key_input: `(batch, seq, features)`, projected to queries and keys.
      value_input: `(batch, seq, other features)`, projected to values.
      attention_mask: float32 `(batch, 1, 1, seq)`, added to the logits.
    Outputs:
      context: `(batch, seq, units)`, before the output projection.
      logits: float32 `(batch, heads, seq, seq)`, scaled and masked, before the softmax.
      probabilities: float32 `(batch, heads, seq, seq)`, before dropout.
    Weights:  `{query,key,value}/{kernel,bias}`.
    Raises:
      ValueError: when the heads do not divide the units.
    """

    def __init__(self, num_heads, units, dropout=0.0, initializer_range=0.02, **kwargs):
        super().__init__(**kwargs)
        if units % num_heads:
            raise ValueError(f"`num_heads` should divide `units`. "
                             f"Received: num_heads={num_heads}, units={units}")
        self.settings = {"num_heads": num_heads, "units": units, "dropout": dropout,
                         "initializer_range": initializer_range}
        self.num_heads = num_heads
        self.head_size = units // num_heads
        self.query, self.key, self.value = (
            Dense(
                units, name=name, kernel_initializer=choices.kernel_initializer(initializer_range))
            for name in ("query", "key", "value"))
        self.dropout = Dropout(dropout, name="dropout")

    def build(self, input_shape, value_shape=None):
        # Keras gives only the first input's shape; the first call then builds `value`.
        building.build(self.query, input_shape)
        building.build(self.key, input_shape)
        if value_shape is not None:
            building.build(self.value, value_shape)
            building.build(self.dropout, value_shape)
        super().build(input_shape)

    def call(self, query_key_input, value_input, attention_mask, training=None):
        # Scaling the queries costs less than scaling the logits: units against heads * seq.
        query = self._split_heads(self.query(query_key_input) / math.sqrt(self.head_size))
        key = self._split_heads(self.key(query_key_input))
        value = self._split_heads(self.value(value_input))
        logits = tf.cast(tf.matmul(query, key, transpose_b=True), tf.float32) + attention_mask
        probabilities = tf.nn.softmax(logits)  # (batch, heads, seq, seq), float32
        weights = tf.cast(self.dropout(probabilities, training=training), value.dtype)
        return self._merge_heads(tf.matmul(weights, value)), logits, probabilities

    def _split_heads(self, features):
        """(batch, seq, units) -> (batch, heads, seq, head_size)."""
        heads = tf.reshape(features, (-1, _length(features, 1), self.num_heads, self.head_size))
        return tf.transpose(heads, (0, 2, 1, 3))

    def _merge_heads(self, heads):
        """(batch, heads, seq, head_size) -> (batch, seq, units)."""
        return tf.reshape(tf.transpose(heads, (0, 2, 1, 3)),
                          (-1, _length(heads, 2), self.num_heads * self.head_size))

    def get_config(self):
        return {**super().get_config(), **self.settings}


def _length(tensor, axis):
    # A static length gives the exported graph constant shapes.
    return tensor.shape[axis] if tensor.shape[axis] is not None else tf.shape(tensor)[axis]
