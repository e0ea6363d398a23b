"""SentenceEncoder: the encoder with a unit vector for a text; two texts' dot is their cosine."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers.pooler import Pooler
from mobilebert_tf.models.encoder_model import EncoderModel


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class SentenceEncoder(EncoderModel):
    """The mean of the last block's states over the real tokens, divided by its length.

    Source: Reimers and Gurevych 2019 (arXiv:1908.10084), as sentence-transformers computes it for
    all-MiniLM-L6-v2.

    Args:
      encoder: an `Encoder` with any pooler; the model does not read its pooled output.
    Inputs:   the encoder's.
    Outputs:  float32 `(batch, hidden_size)`, each row of length 1.
    Masking:  padding is left out of the mean.
    """

    def __init__(self, encoder, **kwargs):
        mean = Pooler("mean", encoder.config.hidden_size, name="mean")
        states = encoder(encoder.input)["sequence_output"]
        pooled = mean(states, encoder.input["input_mask"])
        normalized = keras.layers.UnitNormalization(dtype="float32", name="sentence_embedding")
        super().__init__(encoder, inputs=encoder.input,
                         outputs=normalized(tf.cast(pooled, tf.float32)), settings={}, **kwargs)
