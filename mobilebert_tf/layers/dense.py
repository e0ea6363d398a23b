"""Dense: Keras's dense layer, computed so that TensorFlow can fuse it."""

import tensorflow as tf
import tf_keras as keras


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class Dense(keras.layers.Dense):
    """inputs W + b, with the same weights and results as `keras.layers.Dense`.

    Keras reshapes between the product and the bias if the inputs have more than two axes.
    TensorFlow then cannot fuse the product with the bias and the activation that follows.
    Here the positions are one axis until the bias is added.

    Inputs:   `(..., features)`.
    Outputs:  `(..., units)`.
    Masking:  none; every position alike.
    Weights:  `kernel` `(features, units)`, `bias` `(units,)`.
    """

    def call(self, inputs):
        if inputs.shape.rank == 2:
            return super().call(inputs)
        features = inputs.shape[-1]
        outputs = super().call(tf.reshape(inputs, (-1, features)))
        shape = tf.concat((tf.shape(inputs)[:-1], (self.units,)), 0)
        outputs = tf.reshape(outputs, shape)
        outputs.set_shape((*inputs.shape[:-1], self.units))
        return outputs
