"""The Keras objects behind the choices in an EncoderConfig."""

import functools

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers.no_norm import NoNorm

_ACTIVATIONS = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "gelu": tf.nn.gelu,
    "gelu_tanh": functools.partial(tf.nn.gelu, approximate=True),
}


def activation(name):
    """Return the function that `EncoderConfig.activation` names."""
    return _ACTIVATIONS[name]


def norm(normalization, epsilon, name):
    """Return a new layer of the kind that `EncoderConfig.normalization` names."""
    if normalization == "no_norm":
        return NoNorm(name=name)
    return keras.layers.LayerNormalization(epsilon=epsilon, name=name)


def kernel_initializer(initializer_range):
    """Return a new initializer of kernels and tables, as in Google's BERT."""
    return keras.initializers.TruncatedNormal(stddev=initializer_range)
