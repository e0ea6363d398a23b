import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.data.glue import LabelledTexts
from mobilebert_tf.export import gate, recipes
from mobilebert_tf.export.gate import FailedGate, Gate, keras_runner

from . import sst2
from .conftest import LENGTH


@pytest.fixture(scope="module")
def files(vocabulary):
    """The float32 file, and that of the classifier which always says the other class."""
    return [sst2.exported(model, "float32", vocabulary).model
            for model in (sst2.classifier(), sst2.opposite())]


@pytest.fixture
def hold(vocabulary):
    def hold(content, count=50, right=None, model=None):
        return Gate(model or sst2.classifier(), "sst2", sst2.examples(vocabulary, count, right),
                    mb.Tokenizer(vocabulary)).evaluate(content)

    return hold


def test_a_float_file_says_what_the_model_says(files, hold):
    report = hold(files[0], 50, right=40)
    assert report.passed
    assert (report.task, report.metric, report.recipe) == ("sst2", "accuracy", "float32")
    assert (report.model_score, report.file_score, report.drop) == (0.8, 0.8, 0.0)
    assert (report.examples, report.examples_by_length) == (50, {LENGTH: 50})
    assert report.equal_predictions == 1.0
    difference = report.outputs["probabilities"]
    assert 0 < difference.mean < difference.max < 1e-5
    assert json.loads(json.dumps(report.to_dict()))["outputs"]["probabilities"]["max"] < 1e-5


def test_another_models_file_fails_and_says_by_how_much(files, hold, vocabulary):
    report = hold(files[1], 50, right=40)
    assert not report.passed
    assert (report.model_score, report.file_score, report.drop) == (0.8, 0.2, 60.0)
    assert report.equal_predictions == 0.0
    # The opposite classifier's probabilities are the model's, swapped.
    examples = sst2.examples(vocabulary, 50)
    inputs = mb.text.encode_batch(mb.Tokenizer(vocabulary), list(examples.texts), length=LENGTH)
    probabilities = keras_runner(sst2.classifier())(inputs)["probabilities"]
    expected = np.abs(probabilities - probabilities[:, ::-1])
    difference = report.outputs["probabilities"]
    np.testing.assert_allclose([difference.max, difference.mean],
                               [expected.max(), expected.mean()], rtol=1e-4)
    assert "0.2000, the Keras model's 0.8000 on 50 examples" in str(report)
    assert "drop of 60.00 points, beyond the 0 that" in str(report)


@pytest.mark.parametrize(("right", "bound", "drop", "passed"), [
    # The file is right where the model is wrong: `right` - (400 - `right`) examples are lost.
    (200, 0.0, 0.0, True), (201, 0.0, 0.5, False), (201, 0.5, 0.5, True), (202, 0.5, 1.0, False),
    (202, 1.0, 1.0, True), (199, 0.0, -0.5, True), (229, 14.5, 14.5, True),
    (229, 14.49, 14.5, False)])
def test_a_drop_of_just_the_bound_passes(right, bound, drop, passed, files, hold, monkeypatch):
    monkeypatch.setitem(recipes.RECIPES, "float32", dataclasses.replace(
        recipes.RECIPES["float32"], max_drop=bound))
    report = hold(files[1], 400, right)
    assert (report.drop, report.bound, report.passed) == (drop, bound, passed)


def test_numbers_that_are_not_finite_fail_and_count_as_wrong(files, hold, monkeypatch):
    class Broken(gate.Runner):
        def __call__(self, inputs):
            outputs = super().__call__(inputs)
            outputs["probabilities"][2, 1] = np.nan  # in each of two batches, of 32 and 18
            return outputs

    monkeypatch.setattr(gate, "Runner", Broken)
    report = hold(files[0])
    assert not report.passed
    assert (report.not_finite, report.model_score, report.file_score) == (2, 1.0, 0.96)
    assert report.outputs["probabilities"].max < 1e-5
    assert "not finite for 2 of 50 sst2 dev examples" in str(report)
    json.dumps(report.to_dict(), allow_nan=False)

    monkeypatch.setattr(Broken, "__call__", lambda self, inputs: {
        "probabilities": np.full((len(inputs["input_mask"]), 2), np.inf, np.float32)})
    report = hold(files[0])
    assert (report.not_finite, report.file_score) == (50, 0.0)
    assert report.outputs["probabilities"].max is None


def test_a_model_that_gives_no_numbers_is_refused(files, hold):
    model = mb.Classifier.from_config(sst2.classifier().get_config())
    model.head.set_weights([value * np.nan for value in model.head.get_weights()])
    with pytest.raises(mb.InputError, match="Keras model gives .* not finite for 50 of 50"):
        hold(files[0], model=model)


def test_the_keras_model_runs_once_for_files_of_the_same_lengths(files, vocabulary):
    shown = []

    def track(batches, description):
        shown.append((len(batches), description))
        return batches

    held = Gate(sst2.classifier(), "sst2", sst2.examples(vocabulary, 40),
                mb.Tokenizer(vocabulary), track)
    assert held.require(files[0]) == held.evaluate(files[0])
    assert shown == [(2, "Keras model on the dev set"), (2, "float32 file on the dev set"),
                     (2, "float32 file on the dev set")]
    with pytest.raises(FailedGate, match="beyond the 0") as failure:
        held.require(files[1])
    assert failure.value.report.drop == 100.0


def test_both_sides_see_each_text_at_the_length_that_it_runs_at(files, hold, monkeypatch):
    """A file of two lengths; both sides are the Keras model, and say at which width they ran."""
    widths = {"file": [], "model": []}
    run_model = keras_runner(sst2.classifier())

    def record(side):
        def run(inputs):
            rows, width = inputs["input_mask"].shape
            assert (inputs["input_mask"].sum(axis=1) < width).all()
            widths[side] += [width] * rows
            return run_model(inputs)

        return run

    class TwoLengths(gate.Runner):
        def __init__(self, content):
            super().__init__(content)
            self.metadata = dataclasses.replace(self.metadata, lengths=(6, LENGTH))

        def __call__(self, inputs):
            return record("file")(inputs)

    monkeypatch.setattr(gate, "Runner", TwoLengths)
    monkeypatch.setattr(gate, "keras_runner", lambda model: record("model"))
    report = hold(files[0], 60, right=45)
    assert widths["file"] == widths["model"]
    assert report.examples_by_length == {6: widths["file"].count(6),
                                         LENGTH: widths["file"].count(LENGTH)}
    assert min(report.examples_by_length.values()) > 10
    assert report.passed


@pytest.mark.parametrize(("task", "model", "message"), [
    ("sst1", "classification", "'sst1' has no metric"),
    ("sst2", "classification", "sst2 needs a classifier of 2 classes"),
    ("sst2", "tagging", "sst2 needs a classifier of 2 classes")])
def test_what_cannot_be_held_is_refused(task, model, message, models, vocabulary):
    with pytest.raises(mb.InputError, match=message):
        Gate(models[model], task, sst2.examples(vocabulary, 2), mb.Tokenizer(vocabulary))


def test_an_empty_dev_set_is_refused(vocabulary):
    with pytest.raises(mb.InputError, match="the dev set of sst2 is empty"):
        Gate(sst2.classifier(), "sst2", LabelledTexts((), ()), mb.Tokenizer(vocabulary))


@pytest.mark.parametrize(("changes", "message"), [
    ({"labels": ("bad", "good")}, "runs/x is of another task than sst2: it has the labels bad, g"),
    ({"vocabulary": None}, r"runs/x has no vocab\.txt"),
    ({"task": "sst1"}, "unknown task 'sst1'"),
    ({}, r"cannot read .*dev\.tsv")])
def test_a_directory_that_cannot_be_held_is_refused(changes, message, vocabulary, tmp_path):
    with pytest.raises(mb.InputError, match=message):
        gate.open_gate(sst2.contents(vocabulary, **changes), "runs/x", tmp_path)
