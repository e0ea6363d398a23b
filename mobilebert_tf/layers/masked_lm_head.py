"""MaskedLMHead: from hidden states at masked positions to logits over the vocabulary."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers import choices
from mobilebert_tf.layers.dense import Dense


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class MaskedLMHead(keras.layers.Layer):
    """LayerNorm(activation(h W + b)) times [word table | extra columns]^T, plus a bias.

    Source: google-research's and transformers' code. The first `embedding_size` columns of the
    output matrix are the encoder's word table itself; `extra_kernel` has the rest (384 in
    MobileBERT, none in BERT). The norm is a LayerNorm even where the encoder has NoNorm.

    Args:
      embedding: the encoder's `EncoderEmbedding`, whose word table is shared.
    Inputs:
      sequence_output: `(batch, seq, hidden_size)`.
      masked_positions: int32 `(batch, predictions)`, positions in the sequence; None for all of
        them in order.
    Outputs:  float32 `(batch, predictions, vocab)`, logits.
    Weights:  `dense/{kernel,bias}`, `norm/{gamma,beta}`, `extra_kernel`
      `(vocab, hidden_size - embedding_size)`, `output_bias` `(vocab,)`.
    """

    def __init__(self, embedding, **kwargs):
        super().__init__(**kwargs)
        self.embedding = embedding
        config = embedding.config
        self.dense = Dense(
            config.hidden_size, name="dense",
            kernel_initializer=choices.kernel_initializer(config.initializer_range))
        self.activation = choices.activation(config.activation)
        self.norm = keras.layers.LayerNormalization(
            epsilon=config.layer_norm_epsilon, name="norm")

    def build(self, input_shape):
        config = self.embedding.config
        self.extra_kernel = self.add_weight(
            name="extra_kernel", shape=(config.vocab_size, config.extra_output_size),
            initializer=choices.kernel_initializer(config.initializer_range),
        ) if config.extra_output_size else None
        self.output_bias = self.add_weight(
            name="output_bias", shape=(config.vocab_size,), initializer="zeros")
        super().build(input_shape)

    def call(self, sequence_output, masked_positions=None):
        states = (sequence_output if masked_positions is None
                  else tf.gather(sequence_output, masked_positions, batch_dims=1))
        states = self.transformed(states)
        # `matmul` would make one gradient of the table for each sequence and then sum them: 12 GB
        # for 256 sequences.
        logits = tf.tensordot(states, self.output_matrix(states.dtype), axes=[[-1], [-1]])
        return tf.cast(logits, tf.float32) + tf.cast(self.output_bias, tf.float32)

    def transformed(self, states):
        """Return LayerNorm(activation(h W + b)) of states, `(..., hidden_size)`."""
        return self.norm(self.activation(self.dense(states)))

    def output_matrix(self, dtype):
        """Return the word table with the extra columns beside it, `(vocab, hidden_size)`."""
        table = tf.cast(self.embedding.word_table, dtype)
        if self.extra_kernel is None:
            return table
        return tf.concat([table, tf.cast(self.extra_kernel, dtype)], axis=-1)

    def get_config(self):
        return {**super().get_config(),
                "embedding": keras.saving.serialize_keras_object(self.embedding)}

    @classmethod
    def from_config(cls, config):
        embedding = keras.saving.deserialize_keras_object(config.pop("embedding"))
        return cls(embedding, **config)
