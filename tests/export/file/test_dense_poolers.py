"""The classifiers of DistilBERT and TinyBERT as files: dense poolers other than tanh."""

import dataclasses
import functools

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export import Runner

from ..conftest import LENGTH, calibration_for, randomize


@functools.cache
def classifier(pooler):
    config = dataclasses.replace(
        mb.presets.get("micro_bert"), num_blocks=1, pooler=pooler,
        type_vocab_size={"relu": 0, "relu_tanh": 2}[pooler])
    return randomize(mb.Classifier(mb.Encoder(config), 3))


@pytest.mark.parametrize("pooler", ["relu", "relu_tanh"])
@pytest.mark.parametrize(("recipe", "least", "most"), [
    ("float32", 0, 1e-5), ("dynamic_int8", 1e-6, 0.1), ("int8", 1e-6, 0.2)])
def test_every_recipe_is_as_near_to_keras_as_for_tanh(pooler, recipe, least, most, batch):
    model = classifier(pooler)
    exponents = np.exp(model(batch))
    expected = exponents / exponents.sum(axis=1, keepdims=True)
    file = mb.export.to_tflite(model, recipe, (LENGTH,), calibration=calibration_for(recipe))
    found = Runner(file.model)(batch)["probabilities"]
    assert least <= np.max(np.abs(found - expected)) <= most * expected.max()
