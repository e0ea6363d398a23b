"""DenseNorm: the dense layer, dropout, residual sum and norm that every sublayer ends with."""

import tf_keras as keras

from mobilebert_tf.layers import building, choices
from mobilebert_tf.layers.dense import Dense
from mobilebert_tf.layers.dropout import Dropout


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class DenseNorm(keras.layers.Layer):
    """Norm(Dropout(inputs W + b) + residual); without one, Norm(Dropout(inputs W + b)).

    Without a residual it is an input or shared bottleneck. With one it is an output bottleneck, or
    the end of attention or of a feed-forward. Source: Sun et al. 2020 (arXiv:2004.02984), on
    bottlenecks; for BERT, Devlin et al. 2019.

    Args:
      units: features out.
      normalization, epsilon: the norm, as in `EncoderConfig`.
      dropout: rate, before the residual sum.
      initializer_range: standard deviation of the initial kernel.
    Inputs:   `inputs` `(batch, seq, features)`; `residual` `(batch, seq, units)` or None.
    Outputs:  `(batch, seq, units)`.
    Masking:  none; every position alike.
    Weights:  `dense/{kernel,bias}`, `norm/{gamma,beta}`.
    """

    def __init__(self, units, normalization, epsilon=1e-12, dropout=0.0, initializer_range=0.02,
                 **kwargs):
        super().__init__(**kwargs)
        self.settings = {"units": units, "normalization": normalization, "epsilon": epsilon,
                         "dropout": dropout, "initializer_range": initializer_range}
        self.dense = Dense(
            units, kernel_initializer=choices.kernel_initializer(initializer_range), name="dense")
        self.dropout = Dropout(dropout, name="dropout")
        self.norm = choices.norm(normalization, epsilon, name="norm")

    def build(self, input_shape):
        outputs = (*input_shape[:-1], self.settings["units"])
        building.build(self.dense, input_shape)
        building.build(self.dropout, outputs)
        building.build(self.norm, outputs)
        super().build(input_shape)

    def call(self, inputs, residual=None, training=None):
        outputs = self.dropout(self.dense(inputs), training=training)
        return self.norm(outputs if residual is None else outputs + residual)

    def get_config(self):
        return {**super().get_config(), **self.settings}
