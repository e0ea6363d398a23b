"""PairCosine: the cosine of the sentence embeddings of two texts."""

import tensorflow as tf

from mobilebert_tf.models.encoder_model import EncoderModel
from mobilebert_tf.models.sentence_encoder import SentenceEncoder


class PairCosine(EncoderModel):
    """The cosines of pairs of texts, to fine-tune an encoder with squared errors.

    Source: CosineSimilarityLoss of sentence-transformers (Reimers and Gurevych 2019,
    arXiv:1908.10084, section 3, regression).

    Args:
      encoder: an `Encoder`, shared; its pooled output is not read.
    Inputs:   the encoder's, `(2 * pairs, seq)`; rows 2i and 2i + 1 are a pair.
    Outputs:  float32 `(pairs, 1)`.
    """

    def __init__(self, encoder, **kwargs):
        vectors = SentenceEncoder(encoder).output
        super().__init__(
            encoder, inputs=encoder.input, settings={},
            outputs=tf.reduce_sum(vectors[::2] * vectors[1::2], axis=-1, keepdims=True), **kwargs)
