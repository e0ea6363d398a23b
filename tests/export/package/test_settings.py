"""A package's files answer by the settings in its model.json."""

import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import evaluate, predict
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.export import Runner
from mobilebert_tf.inference.predict import predict as predicted

from ..commands import invoke
from ..conftest import LENGTH

CONTEXT = "al bl cl dm eo fp gq hr am bm cm dn eo"


@pytest.fixture
def package(exported, tmp_path):
    """The fields of a model.json -> the path of a file beside it."""

    def make(**facts):
        path = tmp_path / "tiny.tflite"
        path.write_bytes(exported("question_answering", "float32").model)
        (tmp_path / "model.json").write_text(json.dumps(
            {"files": [{"file": "other.tflite"}, {"file": "tiny.tflite"}], **facts}))
        return path

    return make


@pytest.mark.parametrize(("stride", "windows"), [(128, 2), (5, 2), (1, 6)])
def test_windows_move_by_the_packages_stride(stride, windows, package, monkeypatch):
    """13 tokens in windows of 8, since [CLS], "al" and twice [SEP] take 4 of 12 positions: they
    begin at 0 and 8 (a stride is at most that room), at 0 and 5, and at 0 to 5."""
    runner = Runner(package(settings={"stride": stride}))
    rows = []
    run = Runner.__call__
    monkeypatch.setattr(Runner, "__call__", lambda self, inputs: (
        rows.append(len(inputs["input_mask"])), run(self, inputs))[1])
    predicted(runner, ["al"], CONTEXT)
    assert sum(rows) == windows


def test_answers_are_as_long_as_the_package_lets_them(package):
    def lengths(**settings):
        runner = Runner(package(settings=settings))
        (found,) = predicted(runner, ["al"], CONTEXT, top_k=99)
        return {len(answer["text"].split()) for answer in found["answers"]}

    assert max(lengths()) > 3
    assert lengths(max_answer_length=1) == {1}
    assert max(lengths(max_answer_length=2)) == 2


def test_the_packages_null_threshold_decides(package):
    (found,) = predicted(Runner(package()), ["al"], CONTEXT)
    odds = found["null_odds"]
    for threshold, answered in ((odds - 0.01, False), (odds + 0.01, True), (None, True)):
        runner = Runner(package(settings={"null_threshold": threshold}))
        (found,) = predicted(runner, ["al"], CONTEXT)
        assert bool(found["answer"]) == answered


@pytest.mark.parametrize("facts", [
    {}, {"settings": None}, {"files": [], "settings": {"stride": 2}},
    {"files": "all", "settings": {"stride": 2}},
    {"files": ["tiny.tflite"], "settings": {"stride": 2}}])
def test_a_model_json_without_settings_or_of_other_files_changes_nothing(facts, package):
    assert Runner(package(**facts)).kind.used_settings == QuestionSettings()


def test_a_file_alone_has_its_own_settings(models, vocabulary, tmp_path):
    settings = QuestionSettings(stride=3, n_best=2)
    content = mb.export.to_tflite(models["question_answering"], "float32", (LENGTH,),
                                  vocabulary=vocabulary, settings=settings).model
    assert Runner(content).kind.settings == settings


@pytest.mark.parametrize(("settings", "said"), [
    ({"stride": 0}, "the setting stride should be a whole number from 1 to"),
    ({"stride": -1}, "Received: -1"), ({"max_answer_length": "x"}, "Received: 'x'"),
    ({"n_best": 1e12}, "the setting n_best should"), ({"null_threshold": "x"}, "a number, or null"),
    (3, "settings should be an object. Received: 3")])
def test_settings_that_mean_nothing_are_refused(settings, said, package, tmp_path):
    file = package(settings=settings)
    dev = tmp_path / "dev.json"
    dev.write_text(json.dumps({"data": [{"paragraphs": [{"context": "al bl", "qas": [
        {"id": "1", "question": "al", "answers": [{"text": "bl", "answer_start": 3}]}]}]}]}))
    for command, arguments in ((predict, (file, "al", "--second-text", CONTEXT)),
                               (evaluate, (file, "--task", "squad", "--dev", dev))):
        result = invoke(command, *arguments)
        assert isinstance(result.exception, mb.InputError)
        assert str(result.exception).startswith(f"{tmp_path / 'model.json'}: ")
        assert said in str(result.exception)


@pytest.mark.parametrize("threshold", [0.25, 0.52, 1])
def test_the_packages_threshold_chooses_the_labels(threshold, exported, tmp_path):
    path = tmp_path / "tiny.tflite"
    path.write_bytes(exported("multi_label", "float32").model)
    (tmp_path / "model.json").write_text(json.dumps(
        {"files": [{"file": "tiny.tflite"}], "settings": {"threshold": threshold}}))
    (found,) = predicted(Runner(path), ["al bl"])
    expected = {one["label"] for one in found["classes"] if one["probability"] > threshold}
    assert set(found["labels"]) == expected
    assert len(expected) in {0.25: (4,), 0.52: (1, 2, 3), 1: (0,)}[threshold]


@pytest.mark.parametrize(("facts", "pairs"), [
    ({"pairs": True}, True), ({"pairs": False}, False), ({"pairs": "yes"}, None), ({}, None),
    ({"pairs": True, "files": [{"file": "other.tflite"}]}, None)])
def test_the_package_tells_whether_a_file_reads_pairs(facts, pairs, exported, tmp_path):
    path = tmp_path / "tiny.tflite"
    path.write_bytes(exported("classification", "float32").model)
    (tmp_path / "model.json").write_text(json.dumps({"files": [{"file": "tiny.tflite"}], **facts}))
    assert Runner(path).pairs is pairs
    (tmp_path / "dev.csv").write_text("said,mood\nal,bad\nbl,gut\n")

    def evaluated():
        return mb.evaluate(path, "classification", dev=tmp_path / "dev.csv", text="said",
                           label="mood")

    if pairs:
        with pytest.raises(mb.InputError, match="the model reads pairs of texts"):
            evaluated()
    else:
        assert len(evaluated().answers) == 2


def test_a_damaged_model_json_is_named(package, tmp_path):
    file = package()
    (tmp_path / "model.json").write_text("{")
    with pytest.raises(mb.InputError, match=r"model\.json is not JSON"):
        Runner(file)
