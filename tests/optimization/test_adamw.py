"""AdamW against Keras's."""

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.optimization.adamw import AdamW
from mobilebert_tf.optimization.schedule import WarmupLinearDecay


def steps(optimizer, sparse=False, compiled=True):
    """A kernel and a bias after five steps, and the moments."""
    random = np.random.default_rng(0)
    variables = [tf.Variable(random.normal(size=size).astype("float32"), name=name)
                 for name, size in (("kernel", (5, 3)), ("bias", (7,)))]
    optimizer.exclude_from_weight_decay(var_list=variables[1:])
    optimizer.build(variables)

    def step(kernel, bias):
        gradient = tf.IndexedSlices(kernel[:2], tf.constant([1, 1]), (5, 3)) if sparse else kernel
        optimizer.apply_gradients(zip((gradient, bias), variables, strict=True))

    step = tf.function(step) if compiled else step
    for _ in range(5):
        step(*(tf.constant(random.normal(size=variable.shape), tf.float32)
               for variable in variables))
    return [variable.numpy() for variable in (*variables, *optimizer.variables)]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_is_keras_s_bit_for_bit(sparse, compiled):
    found, wanted = (steps(kind(WarmupLinearDecay(0.1, 5, 2), weight_decay=0.01,
                                global_clipnorm=1.0), sparse, compiled)
                     for kind in (AdamW, keras.optimizers.AdamW))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_survives_its_config():
    optimizer = AdamW(WarmupLinearDecay(0.1, 5, 2), weight_decay=0.5, epsilon=1e-5)
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert type(again) is AdamW
    assert again.get_config() == optimizer.get_config()


def test_what_it_does_not_compute_is_refused():
    with pytest.raises(ValueError, match="`amsgrad` is not supported"):
        AdamW(0.1, amsgrad=True)
