"""FeedForward: Norm(activation(x W1 + b1) W2 + b2 + x)."""

import math

import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

from mobilebert_tf.layers import choices
from mobilebert_tf.layers.feed_forward import FeedForward
from mobilebert_tf.precision import computing_in


def by_hand(activation):
    """1 -> [1, -9] -> activation -> sum -> + 1, under gamma 2 and beta 5."""
    layer = FeedForward(2, 1, activation, "no_norm")
    layer(np.zeros((1, 1, 1), "f4"))
    layer.intermediate.kernel.assign([[2, -4]])
    layer.intermediate.bias.assign([-1, -5])
    layer.output_dense.dense.kernel.assign([[3], [1]])
    layer.output_dense.dense.bias.assign([0.5])
    layer.output_dense.norm.gamma.assign([2])
    layer.output_dense.norm.beta.assign([5])
    return layer


@pytest.mark.parametrize(("activation", "value"), [
    ("relu", 1.0), ("gelu", 0.5 * (1 + math.erf(1 / math.sqrt(2)))),
    ("gelu_tanh", 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * 1.044715)))])
def test_by_hand(activation, value):
    found = by_hand(activation)(np.float32([[[1]]]))
    np.testing.assert_allclose(found, [[[2 * (3 * value + 0.5 + 1) + 5]]], rtol=1e-6)


def test_relu6_stops_at_six():
    layer = by_hand("relu6")
    found = layer(np.float32([[[10]]]))  # 19 -> 6, -45 -> 0
    np.testing.assert_allclose(found, [[[2 * (18 + 0.5 + 10) + 5]]])


@pytest.mark.parametrize("dtype", [tf.bfloat16, tf.float16, tf.float32])
def test_gelu_in_training_is_gelu(dtype):
    """Values differ by at most one unit of precision, gradients by four."""
    inputs = tf.cast(tf.linspace(-5.0, 5.0, 2001), dtype)
    exact = np.asarray(tf.cast(inputs, tf.float64))
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = choices.activation("gelu", in_training=True)(inputs)
    gradient = tape.gradient(outputs, inputs)
    assert outputs.dtype == gradient.dtype == dtype
    precision = {tf.bfloat16: 2**-8, tf.float16: 2**-11, tf.float32: 2**-20}[dtype]
    for found, right, units in (
            (outputs, exact * stats.norm.cdf(exact), 1),
            (gradient, stats.norm.cdf(exact) + exact * stats.norm.pdf(exact), 4)):
        np.testing.assert_allclose(tf.cast(found, tf.float64), right, rtol=units * precision,
                                   atol=2e-6)


def test_training_takes_no_error_function_of_bfloat16():
    """TensorFlow computes it one number after another."""
    with computing_in("mixed_bfloat16"):
        layer = FeedForward(8, 6, "gelu", "layer_norm")
        layer.build((None, None, 6))

    def types(training):
        call = tf.function(lambda inputs: layer(inputs, training=training))
        graph = call.get_concrete_function(tf.TensorSpec((2, 3, 6), tf.bfloat16)).graph
        return {one.outputs[0].dtype for one in graph.get_operations()
                if one.type in ("Erf", "Erfc")}

    assert types(True) == {tf.float32}
    assert types(False) == {tf.bfloat16}  # fused into the product


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_as_a_layer(run_layer_test, hidden, activation):
    run_layer_test(lambda: FeedForward(8, 6, activation, "layer_norm", 1e-6), [hidden])
