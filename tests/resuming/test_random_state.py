"""Dropout that a checkpoint can hold."""

import pytest
import tf_keras as keras

from mobilebert_tf.resuming.random_state import dropout_generators, make_dropout_restorable


def model():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dropout(0.5),
                             keras.layers.Dropout(0.0, name="off")])


def test_generators_are_those_of_the_layers_that_drop():
    make_dropout_restorable()
    (generator,) = dropout_generators(model())
    assert generator.state.shape == (3,)


def test_a_model_that_was_built_before_cannot_be_continued():
    keras.backend.experimental.disable_tf_random_generator()
    try:
        built = model()
        with pytest.raises(ValueError, match="cannot be saved; call make_dropout_restorable"):
            dropout_generators(built)
    finally:
        make_dropout_restorable()
