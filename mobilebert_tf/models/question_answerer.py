"""QuestionAnswerer: the encoder with logits for the start and the end of an answer."""

import tf_keras as keras

from mobilebert_tf.layers.dropout import Dropout
from mobilebert_tf.layers.span_head import SpanHead
from mobilebert_tf.models.encoder_model import EncoderModel


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class QuestionAnswerer(EncoderModel):
    """Scores each token as an answer's start and as its end: a dense layer of two columns.

    Source: google-research's run_squad. As there, question and padding have logits too.

    Args:
      encoder: an `Encoder`.
      dropout: rate on the sequence output. run_squad has none; transformers' DistilBERT has 0.1.
    Inputs:   the encoder's.
    Outputs:  a dict: `start_logits`, `end_logits`, float32 `(batch, seq)`.
    """

    head_input = "sequence_output"

    def __init__(self, encoder, dropout=0.0, **kwargs):
        head = SpanHead(encoder.config.initializer_range, name="span")
        sequence = encoder(encoder.input)["sequence_output"]
        if dropout:
            sequence = Dropout(dropout, name="dropout")(sequence)
        super().__init__(encoder, inputs=encoder.input, outputs=head(sequence),
                         settings={"dropout": dropout}, **kwargs)
        self.head = head.dense
