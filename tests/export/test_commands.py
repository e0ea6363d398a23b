import dataclasses
import hashlib
import json
import signal
import subprocess
import sys

import pytest

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.checkpoints import huggingface
from mobilebert_tf.cli import benchmark, evaluate, export, predict
from mobilebert_tf.export import export_model, recipes
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.model_directory import ModelDirectory

from ..folders import names
from ..full_disk import fill_after
from . import every_kind, sst2
from .commands import invoke
from .conftest import KINDS, LABELS, LENGTH


@pytest.fixture
def directory(models, vocabulary, monkeypatch):
    """Make `model_directory.load` return a classifier, without any files."""
    contents = ModelDirectory(models["classification"], vocabulary,
                              Classification(labels=LABELS["classification"]))
    monkeypatch.setattr("mobilebert_tf.model_directory.load", lambda path: contents)
    return contents


def test_export_then_predict(directory, tmp_path):
    file, facts = tmp_path / "out" / "model.tflite", tmp_path / "facts.json"
    result = invoke(export, "runs/x", "--output", file, "--lengths", LENGTH, "--json", facts)
    assert result.exit_code == 0, result.output
    report = json.loads(facts.read_text())
    assert report["bytes"] == file.stat().st_size
    assert report["recipe"] == "dynamic_int8"
    assert report["lengths"] == [LENGTH]
    assert report["gate"] is None
    assert "not evaluated, because the directory does not name" in " ".join(result.output.split())
    beside = json.loads((tmp_path / "out" / "model.report.json").read_text())
    assert beside == {**report, "file": "model.tflite"}
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


@pytest.mark.parametrize(("kind", "text", "second_text"), [
    ("multi_label", "al bl", None),
    ("fill_mask", "al [MASK] [MASK]", None), ("tagging", "al bl cl dm eo fp gq hr is", None),
    ("regression", "al", "bl"), ("question_answering", "al ?", "[bold] bl cl")])
def test_predict_prints_every_kind(kind, text, second_text, exported, tmp_path):
    file = tmp_path / "model.tflite"
    file.write_bytes(exported(kind, "dynamic_int8").model)
    result = invoke(predict, file, text, *(
        ["--second-text", second_text] if second_text else []))
    assert result.exit_code == 0, result.output
    assert text in result.output
    assert len(result.output.splitlines()) > 1


def test_a_given_vocabulary_replaces_the_directorys(directory, vocabulary, tmp_path):
    given = tmp_path / "vocab.txt"
    pieces = list(vocabulary.pieces)
    pieces[-1] = "zebra"
    given.write_text("".join(f"{piece}\n" for piece in pieces))
    file = tmp_path / "model.tflite"
    result = invoke(export, "runs/x", "--output", file, "--lengths", LENGTH, "--vocab", given)
    assert result.exit_code == 0, result.output
    assert b"zebra" in file.read_bytes()


def test_a_failed_export_leaves_what_was_there(directory, tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("the converter cannot")

    file = tmp_path / "model.tflite"
    file.write_bytes(b"old")
    monkeypatch.setattr("mobilebert_tf.export.file.convert._convert", fail)
    for length, error in ((LENGTH, RuntimeError), (41, mb.InputError)):
        result = invoke(export, "runs/x", "--output", file, "--lengths", length)
        assert isinstance(result.exception, error)
        assert [path.name for path in tmp_path.iterdir()] == ["model.tflite"]
        assert file.read_bytes() == b"old"


def test_an_unknown_recipe_is_refused_before_the_model_is_loaded(tmp_path):
    result = invoke(export, "absent", "--output", tmp_path / "y", "--recipe", "dynamic_int9")
    assert isinstance(result.exception, mb.InputError)
    assert "did you mean dynamic_int8?" in str(result.exception)


EXPORT = ("runs/x", "--recipe", "float32", "--lengths", LENGTH)


def test_a_file_that_passes_stands_with_its_report(tuned, task_files, tmp_path):
    file, facts = tmp_path / "model.tflite", tmp_path / "facts.json"
    result = invoke(export, *EXPORT, "--output", file, "--data", task_files, "--json", facts)
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "model.report.json").read_text())
    assert report["file"] == "model.tflite"
    assert report["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert report["gate"]["model_score"] == report["gate"]["file_score"] == 1.0
    assert report["gate"]["examples"] == 40
    assert report["gate"]["examples_by_length"] == {str(LENGTH): 40}
    assert json.loads(facts.read_text()) == {**report, "file": str(file)}
    printed = " ".join(result.output.replace("│", "").split())
    assert "a drop of 0.00 points" in printed
    few, *_ = report["gate"]["weaknesses"]
    assert few.startswith("The dev set is small: one of its 40 examples is worth 2.5 points")
    assert f"weak, since {few}" in printed
    assert report["gate"]["evidence"]["resolution"] == 2.5

    result = invoke(evaluate, file, "--task", "sst2", "--data", task_files, "--json", facts)
    assert result.exit_code == 0, result.output
    assert f"{file}: sst2 on 40 examples" in result.output
    assert "  accuracy 1.0000\n" in result.output
    assert json.loads(facts.read_text())["accuracy"] == 1.0


def test_a_file_for_another_kind_of_task_is_not_scored(exported, task_files, tmp_path):
    file = tmp_path / "model.tflite"
    file.write_bytes(exported("tagging", "dynamic_int8").model)
    result = invoke(evaluate, file, "--task", "sst2", "--data", task_files)
    assert "is for tagging; the task sst2 needs a model for classification" in str(
        result.exception)


def test_a_file_that_fails_is_not_written(sabotaged, task_files, tmp_path):
    file, facts = tmp_path / "model.tflite", tmp_path / "facts.json"
    file.write_bytes(b"good")
    result = invoke(export, *EXPORT, "--output", file, "--data", task_files, "--json", facts)
    assert result.exit_code == 1
    sentence = result.output.split("Failed:")[1]
    assert "a drop of 100.00 points, beyond the 0 that the recipe may lose" in sentence
    assert "is not written" in sentence
    assert file.read_bytes() == b"good"
    assert names(tmp_path) == ["facts.json", "model.tflite"]
    assert json.loads(facts.read_text())["gate"]["passed"] is False


def test_a_file_that_fails_is_kept_where_asked_for(sabotaged, task_files, tmp_path):
    file = tmp_path / "model.tflite"
    result = invoke(export, *EXPORT, "--output", file, "--data", task_files, "--keep-failing")
    assert result.exit_code == 1
    assert "written all the same" in result.output
    assert names(tmp_path) == ["model.report.json", "model.tflite"]
    report = json.loads((tmp_path / "model.report.json").read_text())
    assert report["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (report["gate"]["passed"], report["gate"]["drop"]) == (False, 100.0)


def test_ungated_needs_no_data(sabotaged, tmp_path):
    result = invoke(export, *EXPORT, "--output", tmp_path / "model.tflite", "--ungated")
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "model.report.json").read_text())["gate"] is None


def test_the_task_of_a_directory_that_names_none_is_told(tuned, task_files, vocabulary, tmp_path):
    """The file gets the task's labels, since the directory has none."""
    tuned["contents"] = sst2.contents(vocabulary, task=None, labels=None)
    file = tmp_path / "model.tflite"
    result = invoke(export, *EXPORT, "--output", file, "--task", "sst2", "--data", task_files)
    assert result.exit_code == 0, result.output
    assert mb.export.Runner(file).metadata.labels == sst2.LABELS


@pytest.fixture
def similar(models, vocabulary, tmp_path_factory):
    """A sentence encoder with pairs of texts."""
    return every_kind.tuned("embedding", models["embedding"], vocabulary,
                            tmp_path_factory.mktemp("STS-B"))


@pytest.mark.parametrize("kind", ["encoding", "fill_mask", "embedding"])
def test_similarity_makes_a_sentence_encoder_of_an_encoder(kind, similar, models, tuned,
                                                           tmp_path):
    """Any model that was not fine-tuned has one; the file ranks texts and is scored."""
    tuned["contents"] = dataclasses.replace(similar.contents, model=models[kind], task=None,
                                            kind=kinds.of(models[kind]))
    file, facts = tmp_path / "sentences.tflite", tmp_path / "facts.json"
    result = invoke(export, *EXPORT, "--output", file, "--task", "similarity", "--data",
                    similar.data.dev_file.parent)
    assert result.exit_code == 0, result.output
    gate = json.loads((tmp_path / "sentences.report.json").read_text())["gate"]
    assert (gate["task"], gate["metric"], gate["drop"]) == ("similarity", "spearman", 0.0)

    result = invoke(evaluate, file, "--task", "similarity", "--data",
                    similar.data.dev_file.parent, "--json", facts)
    assert result.exit_code == 0, result.output
    assert json.loads(facts.read_text())["spearman"] == gate["file_score"]
    result = invoke(predict, file, "--query", "al bl", "cl dm", "al bl", "al bm", "--json", facts)
    assert result.exit_code == 0, result.output
    ranking = json.loads(facts.read_text())["ranking"]
    assert ranking[0] == {"text": "al bl", "cosine": pytest.approx(1, abs=1e-5)}
    assert [one["cosine"] for one in ranking] == sorted(
        (one["cosine"] for one in ranking), reverse=True)
    assert " 1.0000  al bl" in result.output.splitlines()[0]


def test_similarity_of_a_tuned_classifier_is_refused(tuned, tmp_path):
    result = invoke(export, *EXPORT, "--output", tmp_path / "x.tflite", "--task", "similarity",
                    "--ungated")
    assert "fine-tuned on sst2, not on similarity" in str(result.exception)


@pytest.mark.parametrize(("kind", "task", "exported_kind"), [
    ("question_answering", "squad", "question_answering"),
    ("encoding", "similarity", "embedding")])
def test_labels_of_a_model_that_has_none_are_left_behind(kind, task, exported_kind, models,
                                                         vocabulary, tmp_path):
    """A Hugging Face directory may name two classes for any model."""
    huggingface.save(models[kind], tmp_path / "theirs")
    vocabulary.save(tmp_path / "theirs" / "vocab.txt")
    config = tmp_path / "theirs" / "config.json"
    config.write_text(json.dumps(
        json.loads(config.read_text()) | {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}))
    file = tmp_path / "exported.tflite"
    result = invoke(export, tmp_path / "theirs", *EXPORT[1:], "--output", file, "--task", task,
                    "--ungated")
    assert result.exit_code == 0, result.output
    runner = mb.export.Runner(file)
    assert (runner.kind.name, runner.kind.labels) == (exported_kind, None)


@pytest.mark.parametrize(("kind", "positions", "length"), [
    ("classification", 512, 128), ("question_answering", 512, 384), ("classification", 40, 40)])
def test_the_length_is_the_kinds_where_none_is_given(kind, positions, length):
    config = dataclasses.replace(mb.presets.get("micro"), max_positions=positions, num_blocks=1)
    model = KINDS[kind](mb.Encoder(config))
    contents = ModelDirectory(model, None, kinds.of(model))
    assert export_model.default_lengths(contents) == (length,)


@pytest.mark.parametrize(("changes", "arguments", "message"), [
    ({}, (), "runs/x is a model for sst2: name the task's data"),
    ({"task": None}, ("--data", "x"), "runs/x does not name its task: name the task"),
    ({"task": "cola"}, ("--task", "sst2", "--data", "x"), "fine-tuned on cola, not on sst2"),
    ({"task": None}, ("--task", "sst3"), "unknown task 'sst3'"),
    ({"labels": ("no", "yes")}, ("--data", "x"), "has other labels than the task sst2"),
    ({"vocabulary": None}, ("--data", "x"), "no vocabulary: put its vocab.txt"),
    ({}, ("--data", "nowhere"), r"cannot read nowhere/dev\.tsv"),
    ({}, ("--ungated", "--keep-failing"), "--ungated leaves out"),
    ({}, ("--ungated", "--lengths", "12,x"), "--lengths should be whole numbers .* 12,x"),
    ({}, ("--ungated", "--lengths", "41"), "40"),
    ({}, ("--dev", "nowhere.tsv"), r"cannot read nowhere\.tsv"),
    ({}, ("--ungated", "--recipe", "int4", "--data", "x"), "do not leave the comparison out"),
    ({"task": None}, ("--recipe", "int4"), "give the task's data, and the task if"),
    ({}, ("--ungated", "--recipe", "ranged"), "learns ranges from training examples"),
    ({}, ("--ungated", "--recipe", "ranged", "--dev", "x"), "no training data .* training files"),
    ({}, ("--ungated", "--recipe", "ranged", "--train", "x"),
     "training files go with a dev file or a data directory"),
])
def test_an_export_that_cannot_be_held_is_refused(changes, arguments, message, tuned, vocabulary,
                                                  tmp_path, monkeypatch):
    monkeypatch.setitem(recipes.RECIPES, "ranged", dataclasses.replace(
        recipes.RECIPES["dynamic_int8"], calibrated=True))
    tuned["contents"] = sst2.contents(vocabulary, **changes)
    result = invoke(export, *EXPORT, "--output", tmp_path / "model.tflite", *arguments)
    assert isinstance(result.exception, mb.InputError)
    result.exception.__traceback__ = None
    with pytest.raises(mb.InputError, match=message):
        raise result.exception
    assert not names(tmp_path)


def test_a_vocabulary_of_another_size_is_refused_before_the_model_runs(tuned, vocabulary, tmp_path,
                                                                       monkeypatch):
    monkeypatch.setattr(export_model, "Gate", lambda *_: pytest.fail("the model runs"))
    tuned["contents"] = sst2.contents(vocabulary)
    type(vocabulary)(vocabulary.pieces[:-1]).save(tmp_path / "vocab.txt")
    result = invoke(export, *EXPORT, "--output", tmp_path / "model.tflite", "--vocab",
                    tmp_path / "vocab.txt", "--data", tmp_path)
    assert isinstance(result.exception, mb.InputError)
    assert "vocab.txt has 119 pieces, the model runs/x has 120" in str(result.exception)


@pytest.mark.parametrize("written", [0, 1])
def test_a_full_disk_leaves_file_and_report_as_they_were(written, tuned, exports, tmp_path,
                                                         monkeypatch):
    file = tmp_path / "model.tflite"
    for path in (file, tmp_path / "model.report.json"):
        path.write_bytes(b"old")
    tried = fill_after(written, monkeypatch)
    result = invoke(export, *EXPORT, "--output", file, "--ungated")
    assert isinstance(result.exception, mb.InputError)
    assert "No space left on device" in str(result.exception)
    assert len(tried) == written + 1
    assert names(tmp_path) == ["model.report.json", "model.tflite"]
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"old"}


@pytest.mark.parametrize("renamed", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_the_next_export_removes_what_a_killed_one_left(renamed, tmp_path):
    file = tmp_path / "model.tflite"
    write = ("import os, sys, pathlib, types; from mobilebert_tf.export import export_model\n{}"
             "export_model._written(types.SimpleNamespace(file=pathlib.Path(sys.argv[1]), "
             "verdict=None, to_json=dict), b'whole', False)")
    die = ("right, calls = os.replace, []\ndef replace(*paths):\n"
           f"    if len(calls) == {renamed}: os.kill(os.getpid(), 9)\n"
           "    calls.append(right(*paths))\nos.replace = replace\n")
    killed = subprocess.run([sys.executable, "-c", write.format(die), file], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(names(tmp_path)) == 1 + renamed
    assert not file.exists()
    subprocess.run([sys.executable, "-c", write.format(""), file], check=True)
    assert names(tmp_path) == ["model.report.json", "model.tflite"]
    assert file.read_bytes() == b"whole"


@pytest.mark.parametrize("taken", ["model.tflite", "model.report.json"])
def test_a_directory_in_the_way_is_told_at_once(taken, tmp_path):
    (tmp_path / taken).mkdir()
    result = invoke(export, "absent", "--output", tmp_path / "model.tflite")
    assert isinstance(result.exception, mb.InputError)
    assert f"{taken}: there is a directory of that name" in str(result.exception)


def test_benchmark_prints_the_table_and_writes_the_records(exported, tmp_path):
    mine, other, facts = (tmp_path / name for name in ("mine.tflite", "other.tflite", "facts.json"))
    for file in (mine, other):
        file.write_bytes(exported("classification", "float32").model)
    result = invoke(benchmark, "--files", f"{mine}, {other}", "--runs", 5,
                    "--threads", 1, "--json", facts)
    assert result.exit_code == 0, result.output
    records = json.loads(facts.read_text())["records"]
    assert [(one["name"], one["latency"]["num_runs"], one["recipe"]) for one in records] == [
        ("mine", 5, "float32"), ("other", 5, "float32")]
    assert "mine" in result.output
    assert "nothing here is a phone's latency" in " ".join(result.output.split())
