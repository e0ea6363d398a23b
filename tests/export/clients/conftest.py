"""Programs of others that open our files, and the files that they are given.

A client that a machine cannot have is a skip, which the summary counts with its reason. Where
CI=true it is a failure: there, all of them are installed by .ci/install-clients.
"""

import dataclasses
import importlib
import os
import pathlib

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.data.datasets import glue
from mobilebert_tf.export import RECIPES, Runner
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.file.runner import INPUT_NAMES
from mobilebert_tf.text.packing import encode_batch, pack

from ..conftest import KINDS, LENGTH, calibration_for, randomize
from .browser import Browser
from .installing import Missing
from .task_library import TaskLibrary

TRAINED_LENGTH = 64


def absent(client, reason):
    sentence = f"{client}: {reason}"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{sentence} (CI=true wants every client)", pytrace=False)
    pytest.skip(sentence)


def installed(client, make):
    try:
        return make()
    except (Missing, ImportError, OSError) as error:
        return absent(client, error)


@pytest.fixture(scope="session")
def cache(pytestconfig):
    """A directory for installations, which later runs of the tests find again."""
    return pathlib.Path(pytestconfig.cache.mkdir("clients"))


@pytest.fixture(scope="session")
def mediapipe():
    """MediaPipe Tasks: `mediapipe.tasks.python`."""

    def load():
        bindings = importlib.import_module("mediapipe.tasks.python.core.mediapipe_c_bindings")
        bindings.load_raw_library()  # which needs libEGL and libGLESv2 of the system
        return importlib.import_module("mediapipe.tasks.python")

    return installed("MediaPipe", load)


@pytest.fixture(scope="session")
def metadata_schema():
    """The metadata schema's classes, as MediaPipe brings them."""
    return installed("MediaPipe", lambda: importlib.import_module(
        "mediapipe.tasks.metadata.metadata_schema_py_generated"))


@pytest.fixture(scope="session")
def task_library(cache):
    return installed("Task Library", lambda: TaskLibrary(cache))


@pytest.fixture(scope="session")
def browser(cache):
    return installed("Browser", lambda: Browser(cache))


@pytest.fixture(params=RECIPES)
def recipe(request):
    return request.param


@pytest.fixture(scope="session")
def two_graphs(models, vocabulary):
    """A file of two lengths: two graphs, each with its signature."""
    return mb.export.to_tflite(models["classification"], "float32", (8, LENGTH),
                               vocabulary=vocabulary, labels=("bad", "so so", "gut")).model


@pytest.fixture(params=[{"vocabulary": None}, {"lower_case": False}], ids=str)
def without_tokenizer(request, exported):
    """A file that a client, which lower-cases always, cannot read texts for or must not."""
    file = exported("classification", "float32").model
    details = dataclasses.replace(metadata.read(file), **request.param)
    return metadata.attach(file[:file.index(b"PK\3\4")], details)


@pytest.fixture(params=[
    ("ál bl", ["[UNK]", "bl"]),  # the accent stays, and that word is none of the vocabulary's
    ("al\u00a0bl cl", ["[UNK]", "cl"]),  # a no-break space separates nothing
], ids=ascii)
def misread(request, exported, litert):
    """A classifier's file, a text, and its probabilities by label as the phone libraries read it.

    Both libraries lower-case and split ASCII alone.
    """
    text, pieces = request.param
    file = exported("classification", "float32").model
    runner = Runner(file)
    vocabulary = runner.tokenizer.vocabulary
    packed = pack([vocabulary.pieces.index(piece) for piece in pieces], length=LENGTH,
                  cls_id=vocabulary.cls_id, sep_id=vocabulary.sep_id, pad_id=vocabulary.pad_id)
    row = runner({name: np.array([values]) for name, values in zip(
        INPUT_NAMES.values(), packed, strict=True)})["probabilities"][0]
    expected = dict(zip(runner.metadata.labels, row, strict=True))
    (ours,) = litert(file, [text])
    assert any(abs(expected[label] - ours[label]) > 1e-4 for label in ours)
    return file, text, expected


@pytest.fixture(scope="session")
def answerer(vocabulary):
    """recipe -> a question answerer's file of 384 tokens, the only length of the Task Library."""
    config = dataclasses.replace(mb.presets.get("micro"), max_positions=384)
    model = randomize(KINDS["question_answering"](mb.Encoder(config)))
    done = {}

    def export(recipe):
        if recipe not in done:
            done[recipe] = mb.export.to_tflite(
                model, recipe, (384,), vocabulary=vocabulary,
                calibration=calibration_for(recipe, length=384)).model
        return done[recipe]

    return export


@pytest.fixture(scope="session")
def trained(trained_nano, reviews):
    """recipe -> the file of a classifier that was really trained."""
    contents = model_directory.load(trained_nano)
    calibration = encode_batch(mb.Tokenizer(contents.vocabulary), reviews, length=TRAINED_LENGTH)
    done = {}

    def export(recipe):
        if recipe not in done:
            done[recipe] = mb.export.to_tflite(
                contents.model, recipe, (TRAINED_LENGTH,), vocabulary=contents.vocabulary,
                kind=contents.kind, calibration=calibration).model
        return done[recipe]

    return export


@pytest.fixture(scope="session")
def shipped(repository):
    """name of a package, recipe -> its file, as users download it."""
    return lambda name, recipe: (
        repository / "models" / name / f"{name}_{recipe}.tflite").read_bytes()


@pytest.fixture(scope="session")
def reviews(shared_data):
    """Sentences of SST-2 that every client's tokenizer reads as ours does: ASCII."""
    texts = glue.read(shared_data / "glue" / "SST-2" / "dev.tsv", glue.task("sst2")).texts
    return [text for text in texts if text.isascii()][:40]


@pytest.fixture(scope="session")
def litert():
    """file's content, texts -> probabilities by label, through LiteRT with our tokenizer."""

    def classify(content, texts):
        runner = Runner(content)
        inputs = encode_batch(runner.tokenizer, texts, length=runner.metadata.length)
        return [dict(zip(runner.metadata.labels, row, strict=True))
                for row in runner(inputs)["probabilities"]]

    return classify


def tolerance(recipe, is_probability=True):
    """How far a client's number may be from LiteRT's, by what the recipe computes in.

    Floats: other versions of the same kernels may add in another order. Activations quantized as
    they come: such a last bit can move one by a whole step of its row. Calibrated int8: kernels
    round differently, and all that follows moves by steps of fixed size: 1/256 for probabilities,
    and a logit's step, of 0.02 where logits reach 3, moves a probability near a half by as much as
    0.01. LiteRT's own two sets of kernels differ by three steps of the encoder's states, 0.046.
    States and logits, of a size of 2, are given more. Measured: floats 2e-7 for probabilities and
    6e-7 for others, dynamic int8 2e-6, calibrated 0.012 (0.002 on average) and 0.046. On a micro
    model one other word moved a probability by 6e-4 or more, and a mask of ones by 2e-2: calibrated
    files of random weights cannot show them, the other recipes do. Of the trained model's 40 texts
    the last word's loss moves one by 0.53, calibrated too.
    """
    if RECIPES[recipe].calibrated:
        return 0.02 if is_probability else 0.06
    return (1e-5 if recipe.startswith("float") else 1e-3) * (1 if is_probability else 2)


@pytest.fixture(scope="session")
def assert_same():
    """Compares lists of probabilities by label; first sees to it that the texts differ in them."""

    def compare(actual, expected, recipe):
        labels = list(expected[0])
        assert all(sorted(row) == sorted(labels) for row in actual)
        actual, expected = (np.array([[row[label] for label in labels] for row in rows])
                            for rows in (actual, expected))
        assert np.ptp(expected, axis=0).max() > 1e-2
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance(recipe))

    return compare
