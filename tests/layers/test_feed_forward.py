"""FeedForward: Norm(activation(x W1 + b1) W2 + b2 + x)."""

import math

import numpy as np
import pytest

from mobilebert_tf.layers.feed_forward import FeedForward


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


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_as_a_layer(run_layer_test, hidden, activation):
    run_layer_test(lambda: FeedForward(8, 6, activation, "layer_norm", 1e-6), [hidden])
