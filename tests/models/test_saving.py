"""Every model survives .keras, weights files and SavedModel with equal outputs."""

import dataclasses
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb

from ..needed import needed

KINDS = ["encoder", "pretrainer", "masked_lm", "classifier", "token_classifier",
         "question_answerer", "sentence_encoder"]
CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1)
SETTINGS = {"classifier": {"dropout": 0.25}, "token_classifier": {"dropout": 0.35}}


def flat(outputs):
    """Name -> array, whatever the structure."""
    if isinstance(outputs, dict):
        return {f"{name}/{key}": value for name, part in outputs.items()
                for key, value in flat(part).items()}
    if isinstance(outputs, list | tuple):
        return flat(dict(enumerate(outputs)))
    return {"": np.asarray(outputs)}


def assert_same(found, right, exactly=True):
    found, right = flat(found), flat(right)
    assert found.keys() == right.keys()
    for name, value in right.items():
        # Graph and eager may fuse differently: the last digit.
        np.testing.assert_allclose(found[name], value, rtol=0 if exactly else 1e-5,
                                   atol=0 if exactly else 1e-5, err_msg=name)


def dropout_rates(model):
    return [layer.rate for layer in model._flatten_layers()
            if isinstance(layer, keras.layers.Dropout)]


# Kinds differ in heads alone, which the classifier and the pre-training model have.
@pytest.fixture(params=[
    kind if kind in ("classifier", "pretrainer") else pytest.param(kind, marks=pytest.mark.slow)
    for kind in KINDS])
def model(request, build_model, randomize):
    return randomize(build_model(request.param, CONFIG, **SETTINGS.get(request.param, {})))


def test_an_exported_model_serves_its_inputs_by_name(model, inputs_of, tmp_path):
    given = inputs_of(model)
    model.export(tmp_path / "served")
    served = tf.saved_model.load(str(tmp_path / "served"))
    found, right = flat(served.serve(given)), flat(model(given))
    # block_outputs/0/ of a list is block_outputs_0/.
    assert_same(found, {re.sub(r"/(\d+)/", r"_\1/", name): value
                        for name, value in right.items()}, exactly=False)
    names = served.signatures["serving_default"].structured_input_signature[1]
    assert names.keys() == model.input.keys()


def test_every_way_of_saving_gives_equal_outputs(model, inputs_of, randomize, tmp_path):
    given = inputs_of(model)
    right = model(given)
    fresh = type(model).from_config(model.get_config())
    assert fresh.get_config() == model.get_config()
    assert dropout_rates(fresh) == dropout_rates(model)
    names = {variable.name for variable in model.weights}
    assert len(model.weights) == len(set(map(id, model.weights)))
    assert {variable.name for variable in fresh.weights} == names
    assert not np.allclose(next(iter(flat(fresh(given)).values())),
                           next(iter(flat(right).values())))

    model.save_weights(tmp_path / "model.weights.h5")
    fresh.load_weights(tmp_path / "model.weights.h5")
    assert_same(fresh(given), right)

    model.save_weights(str(tmp_path / "checkpoint"))
    randomize(fresh, seed=9)
    fresh.load_weights(str(tmp_path / "checkpoint")).assert_existing_objects_matched()
    assert_same(fresh(given), right)

    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert type(loaded) is type(model)
    assert loaded.config == model.config
    assert loaded.get_config() == model.get_config()
    assert type(loaded.encoder) is mb.Encoder
    assert_same(loaded(given), right)

    model.save(str(tmp_path / "saved_model"), save_format="tf")
    loaded = keras.models.load_model(str(tmp_path / "saved_model"))
    assert_same(loaded(given), right)
    served = tf.saved_model.load(str(tmp_path / "saved_model")).signatures["serving_default"]
    # Keras names a signature's outputs after layers, in the order of the flat outputs.
    outputs = served(**{name: tf.constant(array) for name, array in given.items()})
    assert set(outputs) == set(model.output_names)
    for name, value in zip(model.output_names, tf.nest.flatten(right), strict=True):
        assert_same(outputs[name], value, exactly=False)


FRESH_PROCESS = """
import json, os, sys
import keras
import numpy as np
import tf_keras
from mobilebert_tf import models
models.register()
for name in ("Encoder", "Pretrainer", "Classifier", "TokenClassifier", "QuestionAnswerer",
             "SentenceEncoder"):
    assert tf_keras.saving.get_registered_object("mobilebert_tf>" + name), name
path, given = sys.argv[1:]
given = {name: np.int32(rows) for name, rows in json.loads(given).items()}
model = tf_keras.models.load_model(path)
bases = [base.__module__.split(".")[0] for base in type(model).__mro__]
print(json.dumps({
    "keras": keras.__version__, "outputs": model(given).numpy().tolist(),
    "base": next(name for name in bases if name != "mobilebert_tf"),
    "is_set": "TF_USE_LEGACY_KERAS" in os.environ}))
"""


def test_a_fresh_process_loads_it_after_register_alone_and_beside_keras_3(
        build_model, randomize, tmp_path, inputs_of):
    """Keras 3 is imported first, and no environment variable chooses tf_keras."""
    needed("keras", minversion="3")
    model = randomize(build_model("classifier", CONFIG))
    model.save(tmp_path / "model.keras")
    given = {name: array.tolist() for name, array in inputs_of(model).items()}
    environment = {name: value for name, value in os.environ.items()
                   if name != "TF_USE_LEGACY_KERAS"}
    done = subprocess.run(
        [sys.executable, "-c", FRESH_PROCESS, tmp_path / "model.keras", json.dumps(given)],
        capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["keras"].startswith("3.")
    assert (found["base"], found["is_set"]) == ("tf_keras", False)
    np.testing.assert_allclose(found["outputs"], model(inputs_of(model)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("preset", ["micro_tiny", "micro_no_opt", "micro_ib_bert", "micro_bert"])
def test_every_member_survives_the_keras_format(preset, build_model, randomize, inputs_of,
                                                tmp_path):
    config = dataclasses.replace(mb.presets.get(preset), num_blocks=1)
    model = randomize(build_model("encoder", config))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert_same(loaded(inputs_of(model)), model(inputs_of(model)))
    assert loaded.config == config
