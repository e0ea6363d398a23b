"""Dense: Keras's dense layer over one axis of positions."""

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers.dense import Dense


def test_runs_as_every_layer(run_layer_test):
    run_layer_test(lambda: Dense(3), [np.ones((2, 4, 5), "f4")])


@pytest.mark.parametrize("shape", [(2, 5), (2, 4, 5), (2, 3, 4, 5)])
def test_equals_keras(shape):
    inputs = np.random.default_rng(1).normal(size=shape).astype("f4")
    layer, keras_layer = (kind(3, activation="tanh") for kind in (Dense, keras.layers.Dense))
    layer.build(shape)
    keras_layer.build(shape)
    layer.set_weights([np.random.default_rng(2).normal(size=(5, 3)), np.float32([0.5, -1, 2])])
    keras_layer.set_weights(layer.get_weights())
    np.testing.assert_allclose(layer(inputs), keras_layer(inputs), rtol=1e-6, atol=1e-6)


def test_applies_the_function_of_the_call():
    inputs = np.random.default_rng(1).normal(size=(2, 4, 5)).astype("f4")
    layer = Dense(3)
    np.testing.assert_array_equal(layer(inputs, activation="relu"), tf.nn.relu(layer(inputs)))


def test_knows_its_shape_without_positions():
    outputs = Dense(3)(keras.Input((None, 5)))
    assert outputs.shape.as_list() == [None, None, 3]


def test_the_bias_follows_the_product():
    """A reshape between the two would keep TensorFlow from fusing them."""
    layer = Dense(3)
    function = tf.function(lambda inputs: layer(inputs, activation="gelu")
                           ).get_concrete_function(tf.TensorSpec((None, None, 5)))
    bias, = [one for one in function.graph.get_operations() if one.type == "BiasAdd"]
    assert bias.inputs[0].op.type == "MatMul"
    assert "Reshape" not in [one.type for one in bias.outputs[0].consumers()]
