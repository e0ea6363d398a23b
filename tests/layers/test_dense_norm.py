"""DenseNorm: dense layer, dropout, residual, norm, in this order."""

import numpy as np
import pytest

from mobilebert_tf.layers.dense_norm import DenseNorm


@pytest.fixture
def layer():
    layer = DenseNorm(2, "no_norm")
    layer(np.zeros((1, 1, 3), "f4"), np.zeros((1, 1, 2), "f4"))
    layer.dense.kernel.assign([[1, 0], [0, 2], [1, -1]])
    layer.dense.bias.assign([0.5, -0.5])
    layer.norm.gamma.assign([2, -3])
    layer.norm.beta.assign([10, 20])
    return layer


def test_without_a_residual(layer):
    # [1, 2, 3] W + b = [4.5, 0.5]; times gamma plus beta = [19, 18.5]
    np.testing.assert_allclose(layer(np.float32([[[1, 2, 3]]])), [[[19, 18.5]]])


def test_the_residual_is_added_before_the_norm(layer):
    # [4.5, 0.5] + [1, -2] = [5.5, -1.5] -> [21, 24.5]
    np.testing.assert_allclose(
        layer(np.float32([[[1, 2, 3]]]), np.float32([[[1, -2]]])), [[[21, 24.5]]])


def test_layer_norm_has_a_biased_variance_and_epsilon_inside_the_root():
    layer = DenseNorm(2, "layer_norm", epsilon=3.0)
    layer(np.zeros((1, 1, 2), "f4"))
    layer.dense.kernel.assign(np.eye(2))
    # mean 3, variance ((-1)^2 + 1^2) / 2 = 1, so +-1 / sqrt(1 + 3)
    np.testing.assert_allclose(layer(np.float32([[[2, 4]]])), [[[-0.5, 0.5]]], rtol=1e-6)


def test_dropout_leaves_the_residual_whole():
    layer = DenseNorm(1000, "no_norm", dropout=0.25)
    inputs, residual = np.zeros((1, 1, 1), "f4"), np.full((1, 1, 1000), 100, "f4")
    layer(inputs, residual)
    layer.dense.bias.assign(np.full(1000, 3))
    trained = layer(inputs, residual, training=True).numpy().ravel()
    dropped = trained == 100
    np.testing.assert_allclose(trained[~dropped], 104)  # 100 + 3 / 0.75
    assert 0.18 < dropped.mean() < 0.32
    np.testing.assert_allclose(layer(inputs, residual), np.full((1, 1, 1000), 103))


@pytest.mark.parametrize("normalization", ["no_norm", "layer_norm"])
def test_as_a_layer(run_layer_test, hidden, normalization):
    run_layer_test(lambda: DenseNorm(6, normalization, 1e-6), [hidden, hidden[:, ::-1]])
