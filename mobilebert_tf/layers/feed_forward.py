"""FeedForward: one of the feed-forward networks stacked in a block."""

import tf_keras as keras

from mobilebert_tf.layers import building, choices
from mobilebert_tf.layers.dense import Dense
from mobilebert_tf.layers.dense_norm import DenseNorm


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class FeedForward(keras.layers.Layer):
    """Norm(Dropout(activation(x W1 + b1) W2 + b2) + x).

    Source: Sun et al. 2020 (arXiv:2004.02984), on stacked feed-forward networks.

    Args:
      intermediate_size: features between the two dense layers.
      units: features in and out.
      activation, normalization, epsilon, dropout, initializer_range: as in `EncoderConfig`.
    Inputs:   `(batch, seq, units)`.
    Outputs:  `(batch, seq, units)`.
    Masking:  none; every position alike.
    Weights:  `intermediate/{kernel,bias}`, `output/dense/{kernel,bias}`,
      `output/norm/{gamma,beta}`.
    """

    def __init__(self, intermediate_size, units, activation, normalization, epsilon=1e-12,
                 dropout=0.0, initializer_range=0.02, **kwargs):
        super().__init__(**kwargs)
        self.settings = {
            "intermediate_size": intermediate_size, "units": units, "activation": activation,
            "normalization": normalization, "epsilon": epsilon, "dropout": dropout,
            "initializer_range": initializer_range}
        self.intermediate = Dense(
            intermediate_size, name="intermediate",
            kernel_initializer=choices.kernel_initializer(initializer_range))
        self.output_dense = DenseNorm(
            units, normalization, epsilon, dropout, initializer_range, name="output")

    def build(self, input_shape):
        building.build(self.intermediate, input_shape)
        building.build(self.output_dense,
                       (*input_shape[:-1], self.settings["intermediate_size"]))
        super().build(input_shape)

    def call(self, inputs, training=None):
        inside = self.intermediate(inputs, activation=self.settings["activation"],
                                   training=training)
        return self.output_dense(inside, inputs, training=training)

    def get_config(self):
        return {**super().get_config(), **self.settings}
