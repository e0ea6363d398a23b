"""A package is written whole or not at all, from what fits together."""

import dataclasses
import hashlib
import json
import types
from pathlib import Path

import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.export.failed_gate import FailedGate
from mobilebert_tf.export.file import calibration
from mobilebert_tf.export.package import write as package
from mobilebert_tf.export.package.write import Details
from mobilebert_tf.tasks import catalogue

from ...folders import bytes_of
from ...full_disk import fill_after
from .. import every_kind, sst2
from ..conftest import LENGTH, randomize
from .conftest import MEMBERS


def test_holds_what_an_app_needs(written, vocabulary):
    directory, facts = written
    assert {path.name for path in directory.iterdir()} == MEMBERS
    assert json.loads((directory / "model.json").read_text()) == facts
    assert facts["samples"] == ["a fine film", "it drags"]
    assert "--sample 'a fine film' --sample 'it drags'" in (directory / "README.md").read_text()
    assert (directory / "vocab.txt").read_text().split("\n")[:-1] == list(vocabulary.pieces)
    assert (directory / "labels.txt").read_text() == "negative\npositive\n"
    assert (facts["task"], facts["kind"], facts["lengths"], facts["labels"]) == (
        "sst2", "classification", [LENGTH], list(sst2.LABELS))
    assert (facts["lower_case"], facts["pairs"], facts["settings"]) == (True, False, None)
    assert facts["training"]["scores"] == {"accuracy": 0.9}
    assert facts["training"]["scorings"] == 3
    assert facts["signatures"] == {str(LENGTH): "serving_default"}
    assert list(facts["inputs"]) == ["ids", "mask", "segment_ids"]
    assert facts["outputs"] == {"probabilities": {"type": "float32", "shape": [1, 2]}}
    assert facts["parameters"] == sst2.classifier().count_params()
    assert set(facts["versions"]) >= {"mobilebert-tf", "tensorflow", "ai-edge-litert"}
    for file in facts["files"]:
        content = (directory / file["file"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (
            file["bytes"], file["sha256"])
        assert file["minimum_runtime"] == mb.export.Runner(content).metadata.runtime
        assert (file["gate"]["model_score"], file["gate"]["passed"]) == (0.9, True)
    assert [file["recipe"] for file in facts["files"]] == ["float32", "dynamic_int8"]


def test_the_sums_are_those_of_every_other_file(written):
    directory, _ = written
    sums = dict(reversed(line.split("  ")) for line in
                (directory / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == MEMBERS - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((directory / name).read_bytes()).hexdigest() == digest


def test_equal_inputs_give_equal_bytes(write, tmp_path):
    for name in ("one", "two"):
        write(tmp_path / name)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_a_failing_file_leaves_what_was_there(cheap, write, vocabulary, tmp_path, monkeypatch):
    write(tmp_path / "out")
    before = bytes_of(tmp_path / "out")
    models = {"float32": sst2.classifier(), "dynamic_int8": sst2.opposite()}
    monkeypatch.setattr(calibration, "to_tflite", lambda model, recipe, lengths, **_: sst2.exported(
        models[recipe], recipe, vocabulary))
    with pytest.raises(FailedGate, match="dynamic_int8: .* beyond the 0.5") as failure:
        write(tmp_path / "out", ("float32", "dynamic_int8"))
    assert failure.value.report.recipe == "dynamic_int8"
    assert before == bytes_of(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_disk_leaves_nothing(cheap, write, tmp_path, monkeypatch):
    fill_after(0, monkeypatch)
    with pytest.raises(mb.InputError, match="No space left"):
        write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_what_an_app_cannot_show_is_refused_before_an_export(models, vocabulary, tmp_path,
                                                          monkeypatch):
    monkeypatch.setattr(calibration, "calibrated", None)
    tuned = every_kind.tuned("regression", models["regression"], vocabulary, tmp_path / "data")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("one,other,class\nal,bl,negative\ncl,dm,positive\n")
    task = catalogue.of("classification", {"text": "one", "second_text": "other", "label": "class"})
    for contents, data, message in (
            (tuned.contents, tuned.data, "this is a model for regression"),
            (sst2.contents(vocabulary, task=task.name),
             catalogue.data(task.bound(sst2.LABELS, None), None, (), pairs), "reads pairs")):
        with pytest.raises(mb.InputError, match=message):
            package.write(None, contents, Details(name="tiny", source=tmp_path, data=data),
                          ("float32",), (LENGTH,), lambda batches, description: batches,
                          assets=tmp_path / "assets")
    assert not (tmp_path / "assets").exists()


def test_a_directory_with_other_things_is_not_replaced(write, tmp_path):
    (tmp_path / "thesis.txt").write_text("years")
    (tmp_path / "SHA256SUMS").write_text("0123  model.json\n")
    with pytest.raises(mb.InputError, match="has thesis.txt in it, which is not of a package"):
        write(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years"
    # Its checksums do not make it a package.
    (tmp_path / "SHA256SUMS").write_text("0123  thesis.txt\n")
    with pytest.raises(mb.InputError, match="has SHA256SUMS in it, which is not of a package"):
        write(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years"


def test_an_unknown_recipe_is_refused_before_the_first_export(write, tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "calibrated", None)
    with pytest.raises(mb.InputError, match="unknown recipe 'int9'"):
        write(tmp_path / "out", ("float32", "int9"))


def test_a_model_of_another_task_is_refused(write, vocabulary, tmp_path):
    other = sst2.contents(vocabulary, labels=("no", "yes"))
    with pytest.raises(mb.InputError, match="has other labels than the task sst2"):
        write(tmp_path / "out", contents=other)


@pytest.mark.parametrize("text", ["{", "[]", '{"task": "sst2"}', """{"task": "sst2", "preset":
    null, "checkpoint": null, "settings": {}, "result": {}}"""])
def test_a_damaged_note_of_training_is_refused(cheap, write, tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(mb.InputError, match=r"run\.json( is|: expected|: object|, result: object)"):
        write(tmp_path / "out", source=tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("changes", [
    {"name": "a b"}, {"name": "../up"}, {"name": ""}, {"licence": "mine: all"},
    {"base_model": "a/b/c"}])
def test_names_that_break_files_or_front_matter_are_refused(changes, tmp_path):
    with pytest.raises(mb.InputError, match="should be letters, digits"):
        Details(**{"name": "tiny", "source": tmp_path, "data": sst2.data(tmp_path), **changes})


@pytest.mark.parametrize("changes", [
    {"samples": ("good", "\ud83d")}, {"trained_on": "\ud83d"}, {"vocab": Path("a/\ud83d")},
    {"source": Path("runs/\ud83d")},
    {"data": dataclasses.replace(sst2.data(Path("x")), dev_file=Path("x/\ud83d"))}])
def test_what_a_card_cannot_hold_is_refused_before_an_export(changes, tmp_path):
    with pytest.raises(mb.InputError, match="card of a package: '.*' holds half a surrogate pair"):
        Details(**{"name": "tiny", "source": tmp_path, "data": sst2.data(tmp_path), **changes})


def test_a_licence_that_is_no_text_is_named(tmp_path):
    with pytest.raises(mb.InputError, match="licence should be a text. Received: 5"):
        Details(name="tiny", source=tmp_path, data=sst2.data(tmp_path), licence=5)


def test_a_blank_sample_is_refused(tmp_path):
    with pytest.raises(mb.InputError, match="a sample is blank"):
        Details(name="tiny", source=tmp_path, data=sst2.data(tmp_path), samples=("good", " "))


def test_a_question_without_rows_does_not_tell_that_texts_are_single(vocabulary):
    task = catalogue.of("squad")
    contents = sst2.contents(vocabulary)
    for contexts, pairs in (((" ", "al bl"), True), ((" ", " "), False)):
        gate = types.SimpleNamespace(task=task, examples=[
            Question(str(number), "al", context) for number, context in enumerate(contexts)])
        assert package._takes_pairs(gate, contents) == pairs


def test_an_app_gets_the_settings_that_answers_were_scored_with(packaged):
    """run_squad.py's; and no threshold, since SQuAD v1.1 has an answer to every question."""
    assert packaged("question_answering")[1]["settings"] == {
        "max_question_length": 64, "stride": 128, "max_answer_length": 30, "n_best": 20,
        "null_threshold": None}
    assert packaged("multi_label")[1]["settings"] == {"threshold": 0.52}
    for kind in ("tagging", "embedding"):
        assert packaged(kind)[1]["settings"] is None


@pytest.mark.parametrize("threshold", [-1.5, None])
def test_the_settings_are_the_models(
        threshold, models, exported, vocabulary, tmp_path, monkeypatch):
    tuned = every_kind.tuned("question_answering", models["question_answering"], vocabulary,
                             tmp_path)
    data = catalogue.data(catalogue.of("squad_v2"), None, tuned.data.train_files,
                          tuned.data.dev_file)
    contents = dataclasses.replace(tuned.contents, kind=tuned.contents.kind.with_settings(
        stride=3, null_threshold=threshold))
    monkeypatch.setattr(calibration, "to_tflite",
                        lambda *_, **__: exported("question_answering", "float32"))
    facts = package.write(
        tmp_path / "tiny", contents, Details(name="tiny", source=tmp_path, data=data),
        ("float32",), (LENGTH,), lambda batches, description: batches, say=lambda line: None)
    assert facts["settings"] == {
        "max_question_length": 64, "stride": 3, "max_answer_length": 30, "n_best": 20,
        "null_threshold": threshold}
    assert facts["files"][0]["gate"]["metric"] == "f1"
    card = (tmp_path / "tiny" / "README.md").read_text()
    assert "metrics:\n- f1\n" in card
    end = "." if threshold is None else ", or says that there is none."
    assert f"\nFinds the answer to a question in a text, on phones{end}\n" in card


@pytest.mark.slow
def test_a_trained_model_is_packaged(trained_nano, shared_data, tmp_path):
    contents = model_directory.load(trained_nano)
    details = Details(name="nano", source=trained_nano,
                      data=sst2.data(shared_data / "glue" / "SST-2"))
    for name in ("one", "two"):
        facts = package.write(
            tmp_path / name, contents, details, ("float32", "dynamic_int8"), (64,),
            lambda batches, description: batches)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    gates = [file["gate"] for file in facts["files"]]
    assert gates[0]["drop"] == 0.0
    assert gates[0]["equal_predictions"] == 1.0
    for report in gates:
        assert report["examples"] == 872
        assert report["model_score"] > 0.75
        assert report["passed"]
    assert gates[0]["outputs"]["probabilities"]["max"] < 1e-5


@pytest.mark.parametrize("pooler", ["relu", "relu_tanh"])
def test_classifiers_with_other_dense_poolers_are_packaged(pooler, write, vocabulary, tmp_path):
    """DistilBERT's and TinyBERT's; the files are scored before they are written."""
    config = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1, pooler=pooler)
    model = randomize(mb.Classifier(mb.Encoder(config), 2))
    write(tmp_path / "package", ("float32", "dynamic_int8"),
          sst2.contents(vocabulary, model=model))
    assert {path.name for path in (tmp_path / "package").iterdir()} == MEMBERS
