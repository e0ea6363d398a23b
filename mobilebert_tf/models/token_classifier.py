"""TokenClassifier: the encoder with a class for every token."""

import tf_keras as keras

from mobilebert_tf.layers import choices
from mobilebert_tf.layers.dense import Dense
from mobilebert_tf.layers.dropout import Dropout
from mobilebert_tf.models.encoder_model import EncoderModel


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class TokenClassifier(EncoderModel):
    """Classifies each token: Dense(Dropout(sequence_output)).

    Source: transformers' ForTokenClassification; google-research has none.

    Args:
      encoder: an `Encoder`.
      num_classes: classes.
      dropout: rate on the sequence output.
    Inputs:   the encoder's.
    Outputs:  logits, float32 `(batch, seq, num_classes)`, at padding too.
    """

    head_input = "sequence_output"

    def __init__(self, encoder, num_classes, dropout=0.1, **kwargs):
        head = Dense(
            num_classes, dtype="float32", name="logits",
            kernel_initializer=choices.kernel_initializer(encoder.config.initializer_range))
        sequence = encoder(encoder.input)["sequence_output"]
        super().__init__(
            encoder, inputs=encoder.input,
            outputs=head(Dropout(dropout, name="dropout")(sequence)),
            settings={"num_classes": num_classes, "dropout": dropout}, **kwargs)
        self.num_classes = num_classes
        self.head = head
