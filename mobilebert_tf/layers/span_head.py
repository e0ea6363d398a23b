"""SpanHead: the logits of an answer's start and end."""

import tf_keras as keras

from mobilebert_tf.layers import choices
from mobilebert_tf.layers.dense import Dense


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class SpanHead(keras.layers.Layer):
    """One dense layer of two columns: 0 is the start, 1 the end, as in google-research's run_squad.

    Args:
      initializer_range: standard deviation of the initial kernel.
    Inputs:   `(batch, seq, features)`.
    Outputs:  a dict: `start_logits`, `end_logits`, float32 `(batch, seq)`.
    Masking:  none; padding has logits too.
    Weights:  `dense/{kernel,bias}`.
    """

    def __init__(self, initializer_range=0.02, **kwargs):
        super().__init__(**(kwargs | {"dtype": "float32"}))
        self.initializer_range = initializer_range
        self.dense = Dense(
            2, name="dense", dtype="float32",
            kernel_initializer=choices.kernel_initializer(initializer_range))

    def call(self, inputs):
        spans = self.dense(inputs)
        return {"start_logits": spans[:, :, 0], "end_logits": spans[:, :, 1]}

    def get_config(self):
        return {**super().get_config(), "initializer_range": self.initializer_range}
