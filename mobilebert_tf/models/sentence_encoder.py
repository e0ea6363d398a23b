"""SentenceEncoder: the encoder with a unit vector for a text; two texts' dot is their cosine."""

import typing

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.config import EmbeddingPooler
from mobilebert_tf.layers.pooler import Pooler
from mobilebert_tf.models.encoder_model import EncoderModel


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class SentenceEncoder(EncoderModel):
    """A vector of length 1 for a text: the last block's states, pooled, then scaled.

    Source: Reimers and Gurevych 2019 (arXiv:1908.10084), as sentence-transformers computes it: for
    all-MiniLM-L6-v2 with `mean`, for bge-small-en-v1.5 with `first_token`.

    Args:
      encoder: an `Encoder` with any pooler; the model does not read its pooled output.
      pooler: `mean`, over the real tokens; or `first_token`, the state of [CLS].
    Inputs:   the encoder's.
    Outputs:  float32 `(batch, hidden_size)`, each row of length 1.
    Masking:  padding is left out of the mean.
    """

    def __init__(self, encoder, pooler="mean", **kwargs):
        known = typing.get_args(EmbeddingPooler)
        if pooler not in known:
            raise ValueError(f"`pooler` should be one of {', '.join(known)}. "
                             f"Received: pooler={pooler!r}")
        pool = Pooler(pooler, encoder.config.hidden_size, name=pooler)
        states = encoder(encoder.input)["sequence_output"]
        pooled = pool(states, encoder.input["input_mask"])
        normalized = keras.layers.UnitNormalization(dtype="float32", name="sentence_embedding")
        super().__init__(
            encoder, inputs=encoder.input, outputs=normalized(tf.cast(pooled, tf.float32)),
            settings={"pooler": pooler}, **kwargs)
        self.pooler = pooler
