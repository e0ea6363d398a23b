"""EncoderEmbedding: from token ids to the first block's input."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.layers import choices
from mobilebert_tf.layers.dense import Dense
from mobilebert_tf.layers.dropout import Dropout


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class EncoderEmbedding(keras.layers.Layer):
    """Dropout(Norm(Dense([next, current, previous]) + segment + position)).

    Source: Sun et al. 2020 (arXiv:2004.02984), on embedding factorization. Without trigrams
    and dense layer, this is BERT's embedding. The released weights have the order next, current,
    previous; the paper's convolution suggests the reverse. The neighbours outside of the sequence
    are zero vectors, not [PAD] embeddings.

    Args:
      config: an `EncoderConfig`, or its `to_dict()`.
    Inputs:
      input_word_ids, input_type_ids: int32 `(batch, seq)`, seq at most `config.max_positions`.
        `input_type_ids` is not read where `config.type_vocab_size` is 0.
    Outputs:  `(batch, seq, hidden_size)`.
    Masking:  none. With trigrams the last real token sees the embedding of the [PAD] after it,
      so the amount of padding (none or some) changes outputs, as in the references.
    Weights:  `word_table` `(vocab, embedding_size)`, `position_table` `(positions, hidden)`,
      `type_table` `(types, hidden)`, `projection/{kernel,bias}`, `norm/{gamma,beta}`.
    Raises:
      ValueError: for a static length above `config.max_positions`.
    """

    def __init__(self, config, **kwargs):
        super().__init__(**kwargs)
        self.config = config if isinstance(config, EncoderConfig) else EncoderConfig(**config)
        config = self.config
        self.projection = Dense(
            config.hidden_size, name="projection",
            kernel_initializer=choices.kernel_initializer(config.initializer_range),
        ) if config.has_embedding_projection else None
        self.norm = choices.norm(
            config.normalization,
            config.embedding_and_output_norm_epsilon or config.layer_norm_epsilon, name="norm")
        self.dropout = Dropout(config.hidden_dropout, name="dropout")

    def build(self, input_shape):
        config = self.config

        def table(name, rows, columns):
            return self.add_weight(
                name=name, shape=(rows, columns),
                initializer=choices.kernel_initializer(config.initializer_range))

        self.word_table = table("word_table", config.vocab_size, config.embedding_size)
        self.position_table = table("position_table", config.max_positions, config.hidden_size)
        self.type_table = (table("type_table", config.type_vocab_size, config.hidden_size)
                           if config.type_vocab_size else None)
        super().build(input_shape)

    def call(self, input_word_ids, input_type_ids, training=None):
        length = input_word_ids.shape[1]
        if length is not None and length > self.config.max_positions:
            raise ValueError(f"the model has {self.config.max_positions} positions. "
                             f"Received: input_word_ids of length {length}")
        embedded = tf.gather(self.word_table, input_word_ids)
        if self.config.trigram_input:
            # Shifting by padding and slicing keeps the whole layer one fused region on a phone.
            following = tf.pad(embedded[:, 1:], ((0, 0), (0, 1), (0, 0)))
            previous = tf.pad(embedded[:, :-1], ((0, 0), (1, 0), (0, 0)))
            embedded = tf.concat([following, embedded, previous], axis=-1)
        if self.projection is not None:
            embedded = self.projection(embedded)
        if self.type_table is not None:
            embedded += tf.gather(self.type_table, input_type_ids)
        embedded += self.position_table[: tf.shape(embedded)[1] if length is None else length]
        return self.dropout(self.norm(embedded), training=training)

    def get_config(self):
        return {**super().get_config(), "config": self.config.to_dict()}
