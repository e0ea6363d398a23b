"""Temperature scaling: what it divides, what it keeps, and what reports say of it."""

import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.cli import export, package
from mobilebert_tf.evaluation.calibration import expected_calibration_error
from mobilebert_tf.export import calibrator, gate
from mobilebert_tf.export.calibrator import Calibrator
from mobilebert_tf.export.failed_gate import FailedGate
from mobilebert_tf.kinds.multi_label import MultiLabel
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner

from . import every_kind, sst2
from .commands import invoke
from .conftest import LABELS, LENGTH, examples


@pytest.fixture
def doubtful(vocabulary, tmp_path):
    """The files of SST-2, of which the classifier is right about 30 of 40."""
    directory = sst2.write_files(tmp_path / "SST-2", vocabulary)
    lines = (directory / "dev.tsv").read_text().splitlines()
    flipped = [line[:-1] + str(1 - int(line[-1])) if number % 8 in (3, 4) else line
               for number, line in enumerate(lines)]
    (directory / "dev.tsv").write_text("\n".join(flipped) + "\n")
    return directory


@pytest.mark.parametrize("kind", ["classification", "multi_label", "tagging"])
def test_a_file_computes_the_softmax_of_divided_logits(kind, models, vocabulary):
    model = models[kind]
    contents = ModelDirectory(model, vocabulary, kinds.of(model, LABELS[kind]), True, None)
    before = model.get_weights()
    file = mb.export.Runner(mb.export.to_tflite(
        calibrator.tempered(contents, 2.5).model, "float32", (LENGTH,)).model)
    inputs = examples(6)
    logits = np.asarray(model(inputs)) / 2.5
    exponents = np.exp(logits)
    expected = {"classification": exponents / exponents.sum(axis=-1, keepdims=True),
                "multi_label": exponents / (1 + exponents), "tagging": logits}[kind]
    (found,) = file(inputs).values()
    np.testing.assert_allclose(found, expected, atol=2e-6)
    for one, other in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_threshold_moves_with_the_probabilities():
    probabilities = np.array([[0.1, 0.3, 0.31, 0.8]])
    logits = np.log(probabilities) - np.log1p(-probabilities)
    kind = MultiLabel(labels=LABELS["multi_label"]).with_settings(threshold=0.305)
    divided = 1 / (1 + np.exp(-logits / 3))
    for one in (kind.answers({"probabilities": probabilities}, None, None),
                kind.tempered(3).answers({"probabilities": divided}, None, None)):
        assert one[0].ids == (2, 3)
    assert kind.answers({"probabilities": divided}, None, None)[0].ids != (2, 3)
    for edge in (0, 1):
        assert MultiLabel().with_settings(threshold=edge).tempered(3).settings.threshold == edge


@pytest.mark.parametrize("kind", ["multi_label", "tagging"])
def test_decisions_are_those_of_the_answers(kind, models, vocabulary, tmp_path):
    tuned = every_kind.tuned(kind, models[kind], vocabulary, tmp_path)
    task = tuned.data.task.bound(tuned.contents.labels, None)
    runner = KerasRunner(tuned.contents, LENGTH, "x")
    dev = task.read(tuned.data.dev_file)
    features = task.kind.rows(dev, runner.tokenizer, LENGTH)
    assert kind == "multi_label" or len(features.ids) > len(dev)  # sentences of several windows
    run = running.run(task.kind, runner, dev, features)
    found = task.kind.decisions(run.outputs, dev, features)
    given, labels = task.kind.predicted(run.answers, dev), task.labels
    if kind == "multi_label":
        given = [int(label in chosen) for chosen in given for label in range(len(labels))]
        gold = [one for row in dev.labels for one in row]
    else:
        given, gold = ([labels.index(tag) for tag in tags]
                       for tags in (given, task.kind.expected(dev)))
    assert found.logits.argmax(axis=1).tolist() == given
    assert found.gold.tolist() == gold


@pytest.mark.parametrize("kind", ["regression", "question_answering", "embedding"])
def test_kinds_without_decisions_are_refused(kind, models, vocabulary, tmp_path):
    tuned = every_kind.tuned(kind, models[kind], vocabulary, tmp_path)
    with pytest.raises(mb.InputError, match=f"a model for {kind} gives no probabilities of"):
        Calibrator(tuned.contents, tuned.data, "x", LENGTH)


def test_what_cannot_be_calibrated_is_named(vocabulary, task_files, tmp_path):
    contents = sst2.contents(vocabulary)
    with pytest.raises(mb.InputError, match="name the task's data"):
        Calibrator(contents, None, "runs/x", LENGTH)
    with pytest.raises(mb.InputError, match="right about all of them or no better than chance"):
        Calibrator(contents, sst2.data(task_files), "runs/x", LENGTH)
    one = sst2.write_files(tmp_path / "one", vocabulary, 1)
    with pytest.raises(mb.InputError, match="has one example"):
        Calibrator(contents, sst2.data(one), "runs/x", LENGTH)
    with pytest.raises(mb.InputError, match="not finite"):
        Calibrator(dataclasses.replace(contents, model=_broken()), sst2.data(task_files),
                   "runs/x", LENGTH)


def _broken():
    model = mb.Classifier.from_config(sst2.classifier().get_config())
    model.head.bias.assign([np.nan, 0.0])
    return model


def test_the_command_reports_both_figures(tuned, doubtful, vocabulary, tmp_path):
    file, facts = tmp_path / "model.tflite", tmp_path / "facts.json"
    arguments = ("runs/x", "--data", doubtful, "--lengths", LENGTH)
    result = invoke(export, *arguments, "--calibrate", "--output", file, "--json", facts)
    assert result.exit_code == 0, result.output
    found = json.loads(facts.read_text())["confidence"]
    assert json.loads(file.with_suffix(".report.json").read_text())["confidence"] == found
    assert (found["fitted_on"], found["measured_on"], found["decisions"]) == (20, 20, 20)

    logits = _logits(doubtful, vocabulary)
    gold = np.array([int(line[-1]) for line in _lines(doubtful)])
    temperatures = np.geomspace(0.01, 100, 4001)
    losses = [_loss(logits[::2] / one, gold[::2]) for one in temperatures]
    assert found["temperature"] == pytest.approx(temperatures[np.argmin(losses)], rel=0.01)
    other, right = logits[1::2], gold[1::2]
    assert found["loss_before"] == pytest.approx(_loss(other, right), rel=1e-4)
    assert found["loss_after"] == pytest.approx(_loss(other / found["temperature"], right),
                                                rel=1e-4)
    for name, temperature in (("error_before", 1), ("error_after", found["temperature"])):
        probabilities = np.exp(other / temperature)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        expected = expected_calibration_error(
            probabilities.max(axis=1), probabilities.argmax(axis=1) == right, found["bins"])
        assert found[name] == pytest.approx(expected, rel=1e-3)
    assert found["error_before"] != pytest.approx(found["error_after"], rel=0.1)
    assert found["bins"] == 15
    assert f"temperature {found['temperature']:.3f}" in " ".join(result.output.split())

    result = invoke(export, *arguments, "--output", tmp_path / "plain.tflite", "--json", facts)
    assert json.loads(facts.read_text())["confidence"] is None
    inputs = mb.text.encode_batch(mb.Tokenizer(vocabulary), _texts(doubtful), length=LENGTH)
    one, other = (mb.export.Runner(tmp_path / name)(inputs)["probabilities"]
                  for name in ("model.tflite", "plain.tflite"))
    np.testing.assert_array_equal(one.argmax(axis=1), other.argmax(axis=1))
    assert np.abs(one - other).max() > 0.01


def _lines(directory):
    return (directory / "dev.tsv").read_text().splitlines()[1:]


def _texts(directory):
    return [line.split("\t")[0] for line in _lines(directory)]


def _logits(directory, vocabulary):
    return np.asarray(sst2.classifier()(mb.text.encode_batch(
        mb.Tokenizer(vocabulary), _texts(directory), length=LENGTH)))


def _loss(logits, gold):
    return np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(gold)), gold])


def test_a_calibrated_file_that_is_not_finite_fails_its_gate(tuned, doubtful, tmp_path,
                                                              monkeypatch):
    """So --keep-failing writes it, without a confidence that nothing could measure."""
    class Broken(gate.Runner):
        def __call__(self, inputs):
            return {name: np.full_like(values, np.nan)
                    for name, values in super().__call__(inputs).items()}

    monkeypatch.setattr(gate, "Runner", Broken)
    monkeypatch.setattr(calibrator, "Runner", Broken)
    file = tmp_path / "model.tflite"
    with pytest.raises(FailedGate, match="not finite for 40 of 40"):
        mb.export_model("runs/x", file, data=doubtful, lengths=(LENGTH,), calibrate=True,
                        keep_failing=True)
    report = json.loads(file.with_suffix(".report.json").read_text())
    assert (report["gate"]["not_finite"], report["confidence"]) == (40, None)


def test_a_package_and_its_card_say_both_figures(tuned, doubtful, tmp_path, monkeypatch):
    out = tmp_path / "out"
    arguments = ("runs/x", "--data", doubtful, "--lengths", LENGTH, "--recipes", "float32",
                 "--output", out)
    result = invoke(package, *arguments, "--calibrate")
    assert result.exit_code == 0, result.output
    (file,) = json.loads((out / "model.json").read_text())["files"]
    found = file["confidence"]
    card = (out / "README.md").read_text()
    for name in ("error_before", "error_after", "error_of_file"):
        assert f"| {found[name]:.4f} |" in card
    assert f"the temperature {found['temperature']:.3g}," in card
    assert "--calibrate" in card
    assert "have not been calibrated" not in card
    assert found["error_of_file"] == pytest.approx(found["error_after"], abs=1e-3)

    assert invoke(package, *arguments).exit_code == 0
    card = (out / "README.md").read_text()
    assert "have not been calibrated" in card
    assert "## Confidence" not in card
    assert json.loads((out / "model.json").read_text())["files"][0]["confidence"] is None
