"""Classifier: the encoder with a class, or a number, for a whole sequence."""

import tf_keras as keras

from mobilebert_tf.layers import choices
from mobilebert_tf.layers.dropout import Dropout
from mobilebert_tf.models.encoder_model import EncoderModel


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class Classifier(EncoderModel):
    """Classifies texts, or gives them a number: Dense(Dropout(pooled_output)).

    Source: google-research's run_classifier.

    Args:
      encoder: an `Encoder`.
      num_classes: classes; 1 is regression.
      dropout: rate on the pooled output. 0.1 in run_classifier whatever the encoder's rates;
        transformers takes the encoder's hidden dropout, 0 for MobileBERT.
      multi_label: whether a text may have several classes. The graph is the same; loss and answers
        take a sigmoid of each logit instead of one softmax. Called
        `problem_type="multi_label_classification"` in transformers.
    Inputs:   the encoder's.
    Outputs:  logits, float32 `(batch, num_classes)`.
    """

    head_input = "pooled_output"

    def __init__(self, encoder, num_classes, dropout=0.1, multi_label=False, **kwargs):
        head = keras.layers.Dense(
            num_classes, dtype="float32", name="logits",
            kernel_initializer=choices.kernel_initializer(encoder.config.initializer_range))
        pooled = encoder(encoder.input)["pooled_output"]
        super().__init__(
            encoder, inputs=encoder.input,
            outputs=head(Dropout(dropout, name="dropout")(pooled)),
            settings={"num_classes": num_classes, "dropout": dropout,
                      "multi_label": multi_label}, **kwargs)
        self.num_classes = num_classes
        self.multi_label = multi_label
        self.head = head
