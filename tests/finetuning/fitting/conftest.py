"""Starts of a run of a bag of words, and a run that nothing interrupted."""

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.data.features.batches import PaddedBatches
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.optimization.averages import Averages
from mobilebert_tf.resuming.random_state import make_dropout_restorable

from .runs import AVERAGED, SETTINGS, Run


@pytest.fixture(scope="module")
def batches():
    """Rows of the word 3 or 4, which is their class, among others."""
    random = np.random.default_rng(0)
    labels = random.integers(2, size=40).tolist()
    ids = [np.int32([2, 3 + label, *random.integers(5, 9, random.integers(2, 20))])
           for label in labels]
    return PaddedBatches(Features(ids, [len(row) for row in ids], labels), SETTINGS.length,
                   SETTINGS.batch_size, 0)


@pytest.fixture(scope="module")
def built():
    """The model, with dropout, and the weights that it begins with."""
    make_dropout_restorable()
    keras.utils.set_random_seed(1)
    inputs = {name: keras.Input((None,), dtype=tf.int32, name=name)
              for name in ("input_word_ids", "input_mask", "input_type_ids")}
    words = tf.one_hot(inputs["input_word_ids"], 9)
    real = tf.cast(inputs["input_mask"], tf.float32)[..., tf.newaxis]
    bag = keras.layers.Dropout(0.3)(tf.reduce_sum(words * real, axis=1))
    model = keras.Model(inputs, keras.layers.Dense(2)(bag))
    return model, model.get_weights()


@pytest.fixture
def start(built, batches, tmp_path):
    return lambda **arguments: Run(built, batches, tmp_path / "run", **arguments)


@pytest.fixture(scope="module")
def whole(built, batches, tmp_path_factory):
    """A run that nothing interrupted, what it returned and its last weights."""
    run = Run(built, batches, tmp_path_factory.mktemp("whole"))
    return run, run(), run.model.get_weights()


@pytest.fixture
def averaged(start, monkeypatch):
    """A run of averages, what the weights were after each step, and at each validation."""
    run, steps, validated = start(settings=AVERAGED), [], []
    update, validate = Averages.update, run.validate

    def recording(averages):
        steps.append(run.model.get_weights())
        update(averages)

    monkeypatch.setattr(Averages, "update", recording)
    run.validate = lambda: validated.append(run.model.get_weights()) or validate()
    run()
    return run, steps, validated
