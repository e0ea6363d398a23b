import json
import types

import pytest
import typer.testing

import mobilebert_tf as mb
from mobilebert_tf.cli import benchmark, export, predict

from .conftest import LENGTH


def invoke(command, *arguments):
    app = typer.Typer()
    app.command()(command.run)
    return typer.testing.CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def directory(models, vocabulary, monkeypatch):
    """A model directory in all but the files: what `model_directory.load` would return."""
    contents = types.SimpleNamespace(model=models["classification"], vocabulary=vocabulary,
                                     labels=("bad", "so so", "gut"), lower_case=True)
    monkeypatch.setattr("mobilebert_tf.model_directory.load", lambda path: contents)
    return contents


def test_export_then_predict(directory, tmp_path):
    file, facts = tmp_path / "out" / "model.tflite", tmp_path / "facts.json"
    result = invoke(export, "runs/x", "--output", file, "--length", LENGTH, "--json", facts)
    assert result.exit_code == 0, result.output
    report = json.loads(facts.read_text())
    assert report["bytes"] == file.stat().st_size
    assert report["recipe"] == "dynamic_int8"
    assert report["lengths"] == [LENGTH]
    for word in ("dynamic_int8", "probabilities", "2.17.0", "MB"):
        assert word in result.output

    said = tmp_path / "said.json"
    result = invoke(predict, file, "al bl", "cl", "--top-k", 2, "--threads", 1, "--json", said)
    assert result.exit_code == 0, result.output
    predictions = json.loads(said.read_text())["predictions"]
    assert [one["text"] for one in predictions] == ["al bl", "cl"]
    assert predictions[0]["classes"][0]["label"] in result.output
    assert len(predictions[0]["classes"]) == 2
    result = invoke(predict, file, "al " * 30)
    assert "cut to the 12 tokens" in result.output


@pytest.mark.parametrize(("kind", "text", "pair"), [
    ("fill_mask", "al [MASK] [MASK]", None), ("tagging", "al bl", None),
    ("regression", "al", "bl"), ("question_answering", "al ?", "[bold] bl cl")])
def test_predict_prints_every_task(kind, text, pair, exported, tmp_path):
    file = tmp_path / "model.tflite"
    file.write_bytes(exported(kind, "dynamic_int8").model)
    result = invoke(predict, file, text, *(["--text-pair", pair] if pair else []))
    assert result.exit_code == 0, result.output
    assert text in result.output
    assert len(result.output.splitlines()) > 1


def test_a_given_vocabulary_replaces_the_directorys(directory, vocabulary, tmp_path):
    given = tmp_path / "vocab.txt"
    pieces = list(vocabulary.pieces)
    pieces[-1] = "zebra"
    given.write_text("".join(f"{piece}\n" for piece in pieces))
    file = tmp_path / "model.tflite"
    result = invoke(export, "runs/x", "--output", file, "--length", LENGTH, "--vocab", given)
    assert result.exit_code == 0, result.output
    assert b"zebra" in file.read_bytes()


def test_a_failed_export_leaves_what_was_there(directory, tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("the converter cannot")

    file = tmp_path / "model.tflite"
    file.write_bytes(b"old")
    monkeypatch.setattr("mobilebert_tf.export.convert._convert", fail)
    for length, error in ((LENGTH, RuntimeError), (41, mb.InputError)):
        result = invoke(export, "runs/x", "--output", file, "--length", length)
        assert isinstance(result.exception, error)
        assert [path.name for path in tmp_path.iterdir()] == ["model.tflite"]
        assert file.read_bytes() == b"old"


def test_an_unknown_recipe_is_told_before_the_model_is_loaded(tmp_path):
    result = invoke(export, "absent", "--output", tmp_path / "y", "--recipe", "dynamic_int9")
    assert isinstance(result.exception, mb.InputError)
    assert "did you mean dynamic_int8?" in str(result.exception)


def test_benchmark_prints_the_table_and_writes_the_records(exported, tmp_path):
    mine, facts = tmp_path / "mine.tflite", tmp_path / "facts.json"
    mine.write_bytes(exported("classification", "float32").model)
    result = invoke(benchmark, "--presets", "", "--files", f"{mine}, {mine}", "--runs", 5,
                    "--threads", 1, "--json", facts)
    assert result.exit_code == 0, result.output
    records = json.loads(facts.read_text())["records"]
    assert [(one["name"], one["runs"], one["recipe"]) for one in records] == [
        ("mine", 5, "float32")] * 2
    assert "mine" in result.output
    assert "nothing here is a phone's latency" in " ".join(result.output.split())
