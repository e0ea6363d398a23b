"""`mobilebert package`, for those who download and for the Android app."""

import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import package

from ...folders import names
from .. import sst2
from ..commands import invoke
from ..conftest import LENGTH


@pytest.fixture
def assets(tuned, monkeypatch, tmp_path):
    """The app's assets; the model's model.json agrees with its content."""
    monkeypatch.setattr("mobilebert_tf.model_directory.description", lambda path: {
        name: getattr(tuned["contents"], name) for name in ("kind", "task", "columns")})
    return tmp_path / "assets"


def test_package_writes_a_folder(tuned, exports, task_files, tmp_path):
    result = invoke(package, "runs/x", "--recipes", "float32", "--lengths", LENGTH, "--data",
                    task_files, "--output", tmp_path / "tiny", "--json", tmp_path / "facts.json")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "tiny" / "tiny_float32.tflite").exists()
    assert (tmp_path / "facts.json").read_bytes() == (tmp_path / "tiny/model.json").read_bytes()


def test_package_scores_a_test_file(tuned, exports, task_files, vocabulary, tmp_path):
    test = sst2.write_files(tmp_path / "held", vocabulary, 20, right=12) / "dev.tsv"
    result = invoke(package, "runs/x", "--recipes", "float32", "--lengths", LENGTH, "--data",
                    task_files, "--test", test, "--output", tmp_path / "tiny")
    assert result.exit_code == 0, result.output
    facts = json.loads((tmp_path / "tiny" / "model.json").read_text())
    assert (facts["tested_on"]["examples"], facts["files"][0]["test_score"]) == (20, 0.6)
    assert "The comparison is weak: The dev set is small" in " ".join(result.output.split())


@pytest.mark.parametrize("place", ["--output", "--android"])
def test_package_fails_with_its_files(place, sabotaged, task_files, assets, tmp_path):
    result = invoke(package, "runs/x", "--recipes", "float32", "--lengths", LENGTH, "--data",
                    task_files, place, tmp_path / "tiny")
    assert result.exit_code == 1
    assert "Failed: float32: sst2 dev accuracy 0.0000" in result.output
    assert "nothing is written" in " ".join(result.output.split())
    assert not names(tmp_path)


def test_package_for_an_app(tuned, exports, task_files, assets, tmp_path):
    """With a package, without one, and from a package that is there, always the same."""
    common = ("--lengths", LENGTH, "--data", task_files, "--name", "tiny", "--android")
    folders = [tmp_path / name for name in ("beside", "alone", "later")]
    facts = tmp_path / "facts.json"
    for arguments in (
            ("runs/x", "--output", tmp_path / "tiny", *common, folders[0]),
            ("runs/x", *common, folders[1]), (tmp_path / "tiny", "--android", folders[2])):
        result = invoke(package, *arguments, "--json", facts)
        assert result.exit_code == 0, result.output
        assert (f"tiny for the app in {arguments[-1] / 'text_classification'}\n"
                in result.output)
    assert names(tmp_path) == ["alone", "beside", "facts.json", "later", "tiny"]
    beside, alone, later = ({path.name: path.read_bytes()
                             for path in (folder / "text_classification").iterdir()}
                            for folder in folders)
    assert beside == alone == later
    assert facts.read_bytes() == later["model.json"]
    assert json.loads(later["model.json"])["files"][0]["recipe"] == "dynamic_int8"
    assert later["model.tflite"] == (tmp_path / "tiny/tiny_dynamic_int8.tflite").read_bytes()


@pytest.mark.parametrize(("arguments", "message"), [
    ((), "an output directory for a package, or an app's assets"),
    (("--task", "stsb", "--android"), "this is a model for regression: package it without"),
])
def test_what_an_app_cannot_show_is_refused_before_the_model_is_loaded(
        arguments, message, assets, monkeypatch):
    monkeypatch.setattr("mobilebert_tf.model_directory.load", None)
    result = invoke(package, "runs/x", "--data", "x", *arguments, *([assets] if arguments else []))
    assert isinstance(result.exception, mb.InputError)
    assert message in str(result.exception)


def test_a_package_takes_no_options_of_a_model(tmp_path):
    for name in ("SHA256SUMS", "model.json"):
        (tmp_path / name).write_text("")
    result = invoke(package, tmp_path, "--android", "x", "--lengths", 64, "--data", "y")
    assert str(result.exception).endswith("with --android, and not --data, --lengths")
    result = invoke(package, tmp_path, "--output", "x")
    assert str(result.exception).endswith("with --android, and not --output")
    assert str(invoke(package, tmp_path).exception).endswith("goes into an app, with --android")


def test_package_needs_a_task(tuned, vocabulary, tmp_path):
    tuned["contents"] = sst2.contents(vocabulary, task=None)
    result = invoke(package, "runs/x", "--data", "x", "--output", tmp_path / "tiny")
    assert "does not name its task: name the task" in str(result.exception)
