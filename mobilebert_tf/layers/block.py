"""TransformerBlock: one block of any member of the family."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.layers import building
from mobilebert_tf.layers.attention import SelfAttention
from mobilebert_tf.layers.dense_norm import DenseNorm
from mobilebert_tf.layers.feed_forward import FeedForward


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class TransformerBlock(building.KnownOutputs, keras.layers.Layer):
    """Input bottleneck, attention, stacked feed-forwards, output bottleneck.

    Without bottlenecks this is BERT's block. Source: Sun et al. 2020 (arXiv:2004.02984), on
    bottlenecks. The residuals are those of google-research's code: attention adds the output of the
    input bottleneck, and the output bottleneck adds the block's input. Between the bottlenecks,
    dropout acts on attention probabilities alone.

    Args:
      config: an `EncoderConfig`, or its `to_dict()`.
    Inputs:
      hidden: `(batch, seq, hidden_size)`.
      attention_mask: float32 `(batch, 1, 1, seq)`, added to the attention logits.
    Outputs:
      hidden: `(batch, seq, hidden_size)`.
      attention_logits: float32 `(batch, heads, seq, seq)`, scaled, masked, before the softmax.
    """

    def __init__(self, config, **kwargs):
        super().__init__(**kwargs)
        self.config = config if isinstance(config, EncoderConfig) else EncoderConfig(**config)
        config = self.config
        has_bottleneck = config.bottleneck_size is not None
        inner_dropout = 0.0 if has_bottleneck else config.hidden_dropout

        def dense_norm(units, dropout, name):
            return DenseNorm(units, config.normalization, config.layer_norm_epsilon, dropout,
                             config.initializer_range, name=name)

        def feed_forward(index):
            is_last = index == config.num_feed_forwards - 1
            epsilon = is_last and config.embedding_and_output_norm_epsilon
            return FeedForward(
                config.intermediate_size, config.width, config.activation, config.normalization,
                epsilon or config.layer_norm_epsilon, inner_dropout, config.initializer_range,
                name=f"feed_forward_{index}")

        self.input_bottleneck = (
            dense_norm(config.width, 0.0, "input_bottleneck") if has_bottleneck else None)
        self.shared_bottleneck = (
            dense_norm(config.width, 0.0, "shared_bottleneck")
            if config.attention_input == "shared_bottleneck" else None)
        self.attention = SelfAttention(config.num_heads, config.width, config.attention_dropout,
                                       config.initializer_range, name="attention")
        self.attention_output = dense_norm(config.width, inner_dropout, "attention_output")
        self.feed_forwards = [feed_forward(index) for index in range(config.num_feed_forwards)]
        self.output_bottleneck = (
            dense_norm(config.hidden_size, config.hidden_dropout, "output_bottleneck")
            if has_bottleneck else None)

    def build(self, input_shape):
        # In the order of the calls, which seeded initial weights depend on.
        hidden, inner = input_shape, (*input_shape[:-1], self.config.width)
        for bottleneck in (self.input_bottleneck, self.shared_bottleneck):
            if bottleneck is not None:
                building.build(bottleneck, hidden)
        building.build(self.attention, *self._attention_inputs(hidden, inner, inner))
        for layer in (self.attention_output, *self.feed_forwards, self.output_bottleneck):
            if layer is not None:
                building.build(layer, inner)
        super().build(input_shape)

    def call(self, hidden, attention_mask, training=None):
        inner, shared = self._bottlenecked(hidden)
        query_key_input, value_input = self._attention_inputs(hidden, inner, shared)
        context, attention_logits, _ = self.attention(
            query_key_input, value_input, attention_mask, training=training)
        inner = self.attention_output(context, inner, training=training)
        for feed_forward in self.feed_forwards:
            inner = feed_forward(inner, training=training)
        if self.output_bottleneck is None:
            return inner, attention_logits
        return self.output_bottleneck(inner, hidden, training=training), attention_logits

    def queries_keys_values(self, hidden):
        """Return the queries, keys and values of all heads, as `call` computes them.

        Source: `SelfAttention`; columns `[h * d, (h + 1) * d)` belong to head h. Dropout is behind
        them, so they are the same in training.

        Args:
          hidden: `(batch, seq, hidden_size)`, the block's input.
        Returns:
          three tensors `(batch, seq, config.width)`; queries are not scaled.
        """
        query_key_input, value_input = self._attention_inputs(hidden, *self._bottlenecked(hidden))
        return (self.attention.query(query_key_input), self.attention.key(query_key_input),
                self.attention.value(value_input))

    def _bottlenecked(self, hidden):
        """Return the outputs of the input and the shared bottleneck, or what stands for them."""
        return (hidden if self.input_bottleneck is None else self.input_bottleneck(hidden),
                None if self.shared_bottleneck is None else self.shared_bottleneck(hidden))

    def _attention_inputs(self, hidden, inner, shared):
        """Return the input of queries and keys and that of values: tensors, or their shapes."""
        if self.shared_bottleneck is not None:
            return shared, hidden
        if self.config.attention_input == "bottleneck":
            return inner, inner
        return hidden, hidden

    def output_specs(self, inputs, args, kwargs):
        batch, length, _ = inputs.shape
        return (tf.TensorSpec((batch, length, self.config.hidden_size), self.compute_dtype),
                tf.TensorSpec((batch, self.config.num_heads, length, length), tf.float32))

    def get_config(self):
        return {**super().get_config(), "config": self.config.to_dict()}
