"""Dense: Keras's dense layer, computed so that TensorFlow can fuse it."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers import choices


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class Dense(keras.layers.Dense):
    """activation(inputs W + b), with the same weights and results as `keras.layers.Dense`.

    Keras reshapes between the product and the bias if the inputs have more than two axes.
    TensorFlow then cannot fuse the product with the bias and the activation that follows.
    Here the positions are one axis until the bias is added and the activation is applied.

    Inputs:   `(..., features)`; `activation`, a name of `choices.activation` or None.
    Outputs:  `(..., units)`.
    Masking:  none; every position alike.
    Weights:  `kernel` `(features, units)`, `bias` `(units,)`.
    """

    def call(self, inputs, activation=None, training=None):
        if inputs.shape.rank == 2:
            return self._rows(inputs, activation, training)
        features = inputs.shape[-1]
        outputs = self._rows(tf.reshape(inputs, (-1, features)), activation, training)
        shape = tf.concat((tf.shape(inputs)[:-1], (self.units,)), 0)
        outputs = tf.reshape(outputs, shape)
        outputs.set_shape((*inputs.shape[:-1], self.units))
        return outputs

    def _rows(self, rows, activation, training):
        outputs = super().call(rows)
        if activation is None:
            return outputs
        return choices.activation(activation, in_training=training is True)(outputs)
