import math

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.layers.dropout import Dropout
from mobilebert_tf.resuming.random_state import dropout_generators, make_dropout_restorable


@pytest.fixture
def as_keras_draws():
    """Layers without generators of their own."""
    generators = keras.backend.experimental
    enabled = generators.is_tf_random_generator_enabled()
    generators.disable_tf_random_generator()
    yield
    if enabled:
        generators.enable_tf_random_generator()


@pytest.fixture
def restorable(as_keras_draws):
    make_dropout_restorable()
    yield
    keras.backend.experimental.disable_tf_random_generator()


def dropped(layer, shape):
    return layer(tf.ones(shape), training=True).numpy()


@pytest.mark.parametrize("rate", [0.1, 0.5, 1 / 3])
def test_a_fraction_is_zero_and_the_mean_stays(rate, restorable):
    count = 1_000_001  # odd: two values come from each random number
    outputs = dropped(Dropout(rate), [count])
    deviation = math.sqrt(rate * (1 - rate) / count)
    assert abs((outputs == 0).mean() - rate) < 5 * deviation
    # The mean of the outputs is 1 for the rate that is applied, not only nearly.
    values = np.unique(outputs)
    applied = round(rate * 65536) / 65536
    np.testing.assert_allclose(values, [0, 1 / (1 - applied)], rtol=1e-7)
    # Values from one random number and from two are dropped independently.
    zero = outputs == 0
    for pairs in (zero[:-1:2] & zero[1::2], zero[1:-1:2] & zero[2::2]):
        assert abs(pairs.mean() - rate**2) < 5 * math.sqrt(rate**2 / len(pairs))


def test_calls_and_layers_differ_and_a_state_repeats_them(restorable):
    layer, other = Dropout(0.5), Dropout(0.5)
    first = dropped(layer, (7, 9))
    [generator] = dropout_generators(layer)
    state = generator.state.numpy()
    second = dropped(layer, (7, 9))
    assert (first != second).any()
    assert (first != dropped(other, (7, 9))).any()
    generator.state.assign(state)
    np.testing.assert_array_equal(dropped(layer, (7, 9)), second)


def test_the_gradient_is_that_of_what_was_kept(restorable):
    layer = Dropout(0.25)
    inputs = tf.random.normal((5, 3, 4))
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = layer(inputs, training=True)
    kept = (outputs.numpy() != 0) / 0.75
    assert 0 < (kept == 0).sum() < kept.size
    np.testing.assert_allclose(tape.gradient(outputs, inputs), kept, rtol=1e-6)
    np.testing.assert_allclose(outputs, inputs * kept, rtol=1e-6)


def test_a_graph_draws_anew_and_keeps_the_type(restorable):
    layer = Dropout(0.5, dtype="mixed_bfloat16")
    call = tf.function(lambda inputs: layer(inputs, training=True))
    inputs = tf.ones((64, 64), tf.bfloat16)
    first, second = call(inputs), call(inputs)
    assert first.dtype == tf.bfloat16
    assert (first.numpy() != second.numpy()).any()


def test_without_training_or_rate_nothing_happens(restorable):
    inputs = tf.random.normal((3, 5))
    for rate, training in ((0.5, False), (0.5, None), (0, True)):
        np.testing.assert_array_equal(Dropout(rate)(inputs, training=training), inputs)


def test_without_a_generator_it_draws_as_keras_does(as_keras_draws):
    outputs = dropped(Dropout(0.5), (200, 200))
    np.testing.assert_array_equal(np.unique(outputs), [0, 2])
    assert 0.45 < (outputs == 0).mean() < 0.55
