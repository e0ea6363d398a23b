"""Encoder: every member of the family, by its config."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.layers import building
from mobilebert_tf.layers.attention_mask import AttentionMask
from mobilebert_tf.layers.block import TransformerBlock
from mobilebert_tf.layers.embedding import EncoderEmbedding
from mobilebert_tf.layers.pooler import Pooler
from mobilebert_tf.models.named_inputs import NamedInputs


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class Encoder(building.KnownOutputs, NamedInputs):
    """BERT, IB-BERT, MobileBERT, MobileBERT-TINY and everything between, by configuration.

    Source: Devlin et al. 2019; Sun et al. 2020 (arXiv:2004.02984). A functional Keras
    model: it saves, loads, and can be cut at any of its outputs.

    Args:
      config: an `EncoderConfig`.
    Inputs: a dict of int32 `(batch, seq)`; seq may vary up to `config.max_positions`.
      `input_word_ids`: token ids.
      `input_mask`: 1 at real tokens, 0 at padding.
      `input_type_ids`: segment, below `config.type_vocab_size`; ignored if that is 0.
    Outputs: a dict.
      `sequence_output`: `(batch, seq, hidden_size)`, the last block's output.
      `pooled_output`: `(batch, config.pooled_size)`; see `EncoderConfig.pooler`.
      `embedding_output`: `(batch, seq, hidden_size)`, the first block's input.
      `block_outputs`: list of `(batch, seq, hidden_size)`, one a block.
      `attention_logits`: list of float32 `(batch, heads, seq, seq)`, scaled and masked, before
        the softmax.
    Masking:  padding gets no attention, but outputs at padding are computed. With trigram input
      the last real token sees the [PAD] after it; to compare outputs with a reference, pad as it
      does.

    The released MobileBERT weights give values up to 2.5e7 at [CLS], so a fresh classifier's
    first losses near 1e6 are normal. Warm-up over the first tenth of the steps and clipping by
    a global norm of 1 bring them down; `pooler="scaled_first_token"` avoids them. float16 cannot
    hold such values; `mixed_bfloat16` can.

    Example:
      >>> import mobilebert_tf as mb
      >>> encoder = mb.Encoder(mb.presets.get("micro"))
      >>> ids = tf.constant([[2, 7, 9, 3, 0]])
      >>> outputs = encoder({"input_word_ids": ids, "input_mask": tf.sign(ids),
      ...                    "input_type_ids": tf.zeros_like(ids)})
      >>> outputs["sequence_output"].shape
      TensorShape([1, 5, 48])
    """

    def __init__(self, config, **kwargs):
        embedding = EncoderEmbedding(config, name="embedding")
        blocks = [TransformerBlock(config, name=f"block_{index}")
                  for index in range(config.num_blocks)]
        pooler = Pooler(config.pooler, config.hidden_size, config.initializer_range, name="pooler")

        inputs = {name: keras.Input((None,), dtype=tf.int32, name=name)
                  for name in ("input_word_ids", "input_mask", "input_type_ids")}
        attention_mask = AttentionMask(config.attention_mask_value,
                                       name="attention_mask")(inputs["input_mask"])
        embedding_output = embedding(inputs["input_word_ids"], inputs["input_type_ids"])
        hidden = embedding_output
        block_outputs, attention_logits = [], []
        for block in blocks:
            hidden, logits = block(hidden, attention_mask)
            block_outputs.append(hidden)
            attention_logits.append(logits)
        super().__init__(inputs=inputs, outputs={
            "sequence_output": hidden,
            "pooled_output": pooler(hidden, inputs["input_mask"], inputs["input_type_ids"]),
            "embedding_output": embedding_output,
            "block_outputs": block_outputs,
            "attention_logits": attention_logits,
        }, **kwargs)
        self.config = config
        self.embedding = embedding
        self.blocks = blocks
        self.pooler = pooler

    @property
    def encoder(self):
        return self

    def output_specs(self, inputs, args, kwargs):
        # They are known for inputs of the shapes that the encoder was built with.
        if args or any(value is not None for value in kwargs.values()) or not _alike(
                inputs, self.input):
            return None
        return tf.nest.map_structure(lambda output: output.type_spec, self.output)

    def get_config(self):
        return {"config": self.config.to_dict(), "name": self.name}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        return cls(EncoderConfig.from_dict(config["config"]), name=config["name"])


def _alike(tensors, others):
    return isinstance(tensors, dict) and tensors.keys() == others.keys() and all(
        tensor.type_spec == others[name].type_spec for name, tensor in tensors.items())
