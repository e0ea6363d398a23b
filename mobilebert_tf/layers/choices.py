"""The Keras objects behind the choices in an EncoderConfig."""

import functools
import math

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers.no_norm import NoNorm

_ACTIVATIONS = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "gelu": tf.nn.gelu,
    "gelu_tanh": functools.partial(tf.nn.gelu, approximate=True),
}


def activation(name, *, in_training=False):
    """Return the function that `EncoderConfig.activation` names.

    Args:
      name: of the function.
      in_training: whether gradients will be taken, which decides how it is computed fast.
    """
    return _wide_gelu if name == "gelu" and in_training else _ACTIVATIONS[name]


def _wide_gelu(inputs):
    """Return x Phi(x), computed in float32.

    TensorFlow's own GELU of bfloat16 takes the complementary error function of one number after
    another, which is a seventh of the time of fine-tuning BERT on a CPU. Without gradients
    TensorFlow's is faster, as a part of the product before it.
    """
    if inputs.dtype == tf.float32:
        return tf.nn.gelu(inputs)
    wide = tf.cast(inputs, tf.float32)
    return tf.cast(0.5 * wide * (1 + tf.math.erf(wide * math.sqrt(0.5))), inputs.dtype)


def norm(normalization, epsilon, name):
    """Return a new layer of the kind that `EncoderConfig.normalization` names."""
    if normalization == "no_norm":
        return NoNorm(name=name)
    return keras.layers.LayerNormalization(epsilon=epsilon, name=name)


def kernel_initializer(initializer_range):
    """Return a new initializer of kernels and tables, as in Google's BERT."""
    return keras.initializers.TruncatedNormal(stddev=initializer_range)
