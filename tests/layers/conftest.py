"""The runner that every layer goes through."""

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from ..weights import randomize


def _run(make, inputs, *, untrained=(), call=None):
    """Config round trip, symbolic and eager call, one step of training, and mixed_bfloat16.

    Args:
      make: function without arguments that gives a new layer.
      inputs: list of arrays, the layer's positional inputs.
      untrained: names of variables that a step must not change.
      call: (layer, inputs) -> outputs; by default `layer(*inputs)`.
    """
    call = call or (lambda layer, given: layer(*given))
    layer = make()
    call(layer, [tf.constant(array) for array in inputs])
    randomize(layer, 3, 0.3, 0.3)
    eager = tf.nest.map_structure(np.asarray, call(layer, [tf.constant(a) for a in inputs]))

    config = layer.get_config()
    restored = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(layer))
    assert type(restored) is type(layer)
    assert restored.get_config() == config
    call(restored, [tf.constant(array) for array in inputs])
    assert [w.shape for w in restored.weights] == [w.shape for w in layer.weights]
    restored.set_weights(layer.get_weights())
    tf.nest.map_structure(np.testing.assert_array_equal, tf.nest.map_structure(
        np.asarray, call(restored, [tf.constant(a) for a in inputs])), eager)

    # Symbolic, with unknown batch and length: the shapes and values of the eager call.
    symbolic = [keras.Input((None, *array.shape[2:]) if array.ndim < 4 else array.shape[1:],
                            dtype=array.dtype) for array in inputs]
    model = keras.Model(symbolic, call(layer, symbolic))
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6),
        model(list(inputs) if len(inputs) > 1 else inputs[0]), eager)

    _check_one_step_changes_every_weight(layer, inputs, call, untrained)
    _check_mixed_bfloat16(make, layer, inputs, call)
    return layer


def _check_one_step_changes_every_weight(layer, inputs, call, untrained):
    before = [variable.numpy() for variable in layer.weights]
    with tf.GradientTape() as tape:
        outputs = tf.nest.flatten(call(layer, [tf.constant(array) for array in inputs]))
        # Weighed at random: a plain sum has no gradient through a softmax or a LayerNorm.
        random = np.random.default_rng(4)
        loss = tf.add_n([tf.reduce_sum(tf.cast(output, tf.float32)
                                       * random.normal(size=output.shape).astype("f4"))
                         for output in outputs if output.dtype.is_floating])
    gradients = tape.gradient(loss, layer.trainable_variables)
    missing = [v.name for v, g in zip(layer.trainable_variables, gradients, strict=True)
               if g is None]
    assert not missing
    keras.optimizers.SGD(0.1).apply_gradients(
        zip(gradients, layer.trainable_variables, strict=True))
    for variable, value in zip(layer.weights, before, strict=True):
        changed = not np.array_equal(variable.numpy(), value)
        assert changed != (variable.name.rpartition("/")[2].split(":")[0] in untrained), (
            variable.name)


def _check_mixed_bfloat16(make, layer, inputs, call):
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        mixed = make()
        # Keras casts the first input only; hidden states are narrow in a model, masks are not.
        narrow = [tf.cast(array, tf.bfloat16) if array.dtype == np.float32 and array.ndim == 3
                  else tf.constant(array) for array in inputs]
        outputs = call(mixed, narrow)
        assert [w.dtype for w in mixed.weights] == [tf.float32] * len(mixed.weights)
        mixed.set_weights(layer.get_weights())
        outputs = tf.nest.flatten(call(mixed, narrow))
    finally:
        keras.mixed_precision.set_global_policy("float32")
    expected = tf.nest.flatten(call(layer, [tf.constant(array) for array in inputs]))
    for output, right in zip(outputs, expected, strict=True):
        assert output.dtype in (tf.bfloat16, tf.float32)
        scale = np.abs(right).max()
        np.testing.assert_allclose(tf.cast(output, tf.float32), right, atol=0.06 * scale)
    return outputs


@pytest.fixture(scope="session")
def run_layer_test():
    return _run


@pytest.fixture
def bfloat16_policy():
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    yield
    keras.mixed_precision.set_global_policy("float32")


@pytest.fixture
def hidden():
    """(batch, seq, features), float32."""
    return np.random.default_rng(5).normal(size=(2, 5, 6)).astype("f4")


@pytest.fixture
def attention_mask():
    """(batch, 1, 1, seq): the second row ends in two paddings."""
    return np.float32([[0] * 5, [0, 0, 0, -1e30, -1e30]])[:, None, None, :]
