"""What the gate measures of a classifier and its files, and what it lets pass."""

import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export import gate, recipes
from mobilebert_tf.export.failed_gate import FailedGate
from mobilebert_tf.export.gate import Gate
from mobilebert_tf.export.held_out_scores import HeldOutScores
from mobilebert_tf.kinds.tagging import Tagging
from mobilebert_tf.tasks.task_data import TaskData

from . import sst2
from .conftest import LABELS, LENGTH
from .gate_changes import changing


@pytest.fixture(scope="module")
def files(vocabulary):
    """The float32 file, and that of the classifier which always says the other class."""
    return [sst2.exported(model, "float32", vocabulary).model
            for model in (sst2.classifier(), sst2.opposite())]


@pytest.fixture
def hold(vocabulary, tmp_path):
    def hold(content, count=50, right=None, **changes):
        data = sst2.data(sst2.write_files(tmp_path, vocabulary, count, right))
        return Gate(sst2.contents(vocabulary, **changes), data, "runs/x").evaluate(content)

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


def test_a_model_of_one_class_passes_and_that_says_little(files, hold):
    """The classifier says "negative" to every text, and so does the file."""
    report = hold(files[0], 800, right=600)
    assert (report.passed, report.drop) == (True, 0.0)
    assert report.weaknesses == (
        "The Keras model and the file give one class for all 800 examples, which have 2.",
        "The Keras model is not seen to be better than guessing: its accuracy is 0.7500, the same "
        "answer to everything gets 0.7500.")
    said = json.loads(json.dumps(report.to_dict()))
    assert said["weaknesses"] == list(report.weaknesses)
    assert said["evidence"] == {
        "resolution": 0.125, "expected": 2, "said_by_model": 1, "said_by_file": 1,
        "constant_score": 0.75, "score_noise": 0.0, "drop_noise": 0.0}


def test_model_and_file_are_scored_on_the_test_set_too(files, vocabulary, tmp_path):
    """The file says the other class throughout: it is right in 8 of 20, where the model is not."""
    data = sst2.data(sst2.write_files(tmp_path, vocabulary, 50))
    assert Gate(sst2.contents(vocabulary), data, "runs/x").test(files[1]) is None
    test = sst2.write_files(tmp_path / "test", vocabulary, 20, right=12) / "dev.tsv"
    held = Gate(sst2.contents(vocabulary), dataclasses.replace(data, test_file=test), "runs/x")
    assert held.test(files[0]) == HeldOutScores(20, 0.6, 0.6)
    assert held.test(files[1]) == HeldOutScores(20, 0.6, 0.4)
    assert held.evaluate(files[0]).examples == 50
    missing = dataclasses.replace(data, test_file=tmp_path / "absent.tsv")
    with pytest.raises(mb.InputError, match=r"cannot read .*absent\.tsv"):
        Gate(sst2.contents(vocabulary), missing, "runs/x")


def test_another_models_file_fails_and_says_by_how_much(files, hold, vocabulary):
    report = hold(files[1], 50, right=40)
    assert not report.passed
    assert (report.model_score, report.file_score, report.drop) == (0.8, 0.2, 60.0)
    assert report.equal_predictions == 0.0
    # The opposite classifier's probabilities are the model's, swapped.
    examples = sst2.examples(vocabulary, 50)
    inputs = mb.text.encode_batch(mb.Tokenizer(vocabulary), list(examples.texts), length=LENGTH)
    probabilities = sst2.runner(vocabulary)(inputs)["probabilities"]
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
    def break_third_row(outputs, _):
        outputs["probabilities"][2, 1] = np.nan  # in each of two batches, of 32 and 18

    changing(monkeypatch, break_third_row)
    report = hold(files[0])
    assert not report.passed
    assert (report.not_finite, report.model_score, report.file_score) == (2, 1.0, 0.96)
    assert report.outputs["probabilities"].max < 1e-5
    assert "not finite for 2 of 50 sst2 dev examples" in str(report)
    json.dumps(report.to_dict(), allow_nan=False)

    changing(monkeypatch, lambda outputs, _: outputs["probabilities"].fill(np.inf))
    report = hold(files[0])
    assert (report.not_finite, report.file_score) == (50, 0.0)
    assert report.outputs["probabilities"].max is None


def test_a_model_that_gives_no_numbers_is_refused(files, hold):
    model = mb.Classifier.from_config(sst2.classifier().get_config())
    model.head.set_weights([value * np.nan for value in model.head.get_weights()])
    with pytest.raises(mb.InputError, match="Keras model gives .* not finite for 50 of 50"):
        hold(files[0], model=model)


def test_the_keras_model_runs_once_for_files_of_the_same_lengths(files, vocabulary, tmp_path):
    shown = []

    def track(batches, description):
        shown.append((len(batches), description))
        return batches

    held = Gate(sst2.contents(vocabulary),
                sst2.data(sst2.write_files(tmp_path, vocabulary, 40)), "runs/x", track)
    assert held.require(files[0]) == held.evaluate(files[0])
    assert shown == [(2, "Keras model on the dev set"), (2, "float32 file on the dev set"),
                     (2, "float32 file on the dev set")]
    with pytest.raises(FailedGate, match="beyond the 0") as failure:
        held.require(files[1])
    assert failure.value.report.drop == 100.0


def test_both_sides_see_each_text_at_the_length_that_it_runs_at(files, hold, vocabulary,
                                                                monkeypatch):
    """A file of two lengths; both sides are the Keras model, and say at which width they ran."""
    widths = {"file": [], "model": []}
    run_model = sst2.runner(vocabulary)

    def run(side, inputs):
        rows, width = inputs["input_mask"].shape
        assert (inputs["input_mask"].sum(axis=1) < width).all()
        widths[side] += [width] * rows
        return run_model(inputs)

    class TwoLengths(gate.Runner):
        def __init__(self, content):
            super().__init__(content)
            self.metadata = dataclasses.replace(self.metadata, lengths=(6, LENGTH))

        def __call__(self, inputs):
            return run("file", inputs)

    class Keras(gate.KerasRunner):
        def __call__(self, inputs):
            return run("model", inputs)

    monkeypatch.setattr(gate, "Runner", TwoLengths)
    monkeypatch.setattr(gate, "KerasRunner", Keras)
    report = hold(files[0], 60, right=45)
    assert widths["file"] == widths["model"]
    assert report.examples_by_length == {6: widths["file"].count(6),
                                         LENGTH: widths["file"].count(LENGTH)}
    assert min(report.examples_by_length.values()) > 10
    assert report.passed


@pytest.mark.parametrize(("changes", "kind", "message"), [
    ({"labels": ("bad", "good")}, "classification",
     "runs/x has other labels than the task sst2: it alone has bad, good; the task alone has neg"),
    ({"labels": None}, "classification", "runs/x has no labels; the task sst2 has negative"),
    ({"vocabulary": None}, "classification", "runs/x has no vocabulary: put its"),
    ({}, "tagging",
     "runs/x is for tagging; the task sst2 needs a model for classification")])
def test_what_cannot_be_held_is_refused(changes, kind, message, models, vocabulary, tmp_path):
    data = sst2.data(sst2.write_files(tmp_path, vocabulary, 4))
    if kind == "tagging":
        changes = {"model": models[kind], "kind": Tagging(labels=LABELS[kind])}
    with pytest.raises(mb.InputError, match=message):
        Gate(sst2.contents(vocabulary, **changes), data, "runs/x")


@pytest.mark.parametrize(("content", "message"), [
    (None, r"cannot read .*dev\.tsv"), ("sentence\tlabel\n", "dev.tsv has no rows"),
    ("sentence\tlabel\nal\t2\n", "dev.tsv, line 2: the label '2' is not one of 0, 1")])
def test_a_dev_file_that_is_missing_empty_or_damaged_is_refused(content, message, vocabulary,
                                                                tmp_path):
    path = tmp_path / "dev.tsv"
    if content is not None:
        path.write_text(content)
    data = TaskData(sst2.data(tmp_path).task, (), path)
    with pytest.raises(mb.InputError, match=message):
        Gate(sst2.contents(vocabulary), data, "runs/x")
