"""Pretrainer: the encoder with its pre-training heads."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers import choices
from mobilebert_tf.layers.masked_lm_head import MaskedLMHead
from mobilebert_tf.models.encoder_model import EncoderModel


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class Pretrainer(EncoderModel):
    """Masked-LM logits at chosen positions and, by default, next-sentence logits.

    Source: Devlin et al. 2019; the tied output matrix as in `MaskedLMHead`.

    Args:
      encoder: an `Encoder`.
      next_sentence: whether to add a next-sentence head; masked-LM checkpoints have none.
    Inputs:   the encoder's, and `masked_positions` int32 `(batch, predictions)`: where to predict.
    Outputs:  a dict: `mlm_logits` float32 `(batch, predictions, vocab)`; `nsp_logits` float32
      `(batch, 2)`, class 0 = the second part follows the first, 1 = it is random.
    """

    def __init__(self, encoder, next_sentence=True, **kwargs):
        config = encoder.config
        mlm_head = MaskedLMHead(encoder.embedding, name="mlm")
        nsp_head = keras.layers.Dense(
            2, dtype="float32", name="nsp",
            kernel_initializer=choices.kernel_initializer(config.initializer_range),
        ) if next_sentence else None

        inputs = {**encoder.input, "masked_positions": keras.Input(
            (None,), dtype=tf.int32, name="masked_positions")}
        encoded = encoder({name: inputs[name] for name in encoder.input})
        outputs = {"mlm_logits": mlm_head(encoded["sequence_output"], inputs["masked_positions"])}
        if next_sentence:
            outputs["nsp_logits"] = nsp_head(encoded["pooled_output"])
        super().__init__(encoder, inputs=inputs, outputs=outputs,
                         settings={"next_sentence": next_sentence}, **kwargs)
        self.mlm_head = mlm_head
        self.nsp_head = nsp_head
