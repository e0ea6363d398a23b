"""The settings in a package's model.json are those that its files answer by."""

import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import evaluate, predict
from mobilebert_tf.data.features.question_settings import DEFAULTS, QuestionSettings
from mobilebert_tf.export import Runner
from mobilebert_tf.tasks import prediction

from ..commands import invoke
from ..conftest import LENGTH

CONTEXT = "al bl cl dm eo fp gq hr am bm cm dn eo"


@pytest.fixture
def package(exported, tmp_path):
    """What model.json says -> the path of a file that lies beside it."""

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
    runner = Runner(package(question_answering={"stride": stride}))
    rows = []
    run = Runner.__call__
    monkeypatch.setattr(Runner, "__call__", lambda self, inputs: (
        rows.append(len(inputs["input_mask"])), run(self, inputs))[1])
    prediction.predict(runner, ["al"], CONTEXT)
    assert sum(rows) == windows


def test_answers_are_as_long_as_the_package_lets_them(package):
    def lengths(**settings):
        runner = Runner(package(question_answering=settings))
        (found,) = prediction.predict(runner, ["al"], CONTEXT, top_k=99)
        return {len(answer["text"].split()) for answer in found["answers"]}

    assert max(lengths()) > 3
    assert lengths(max_answer_length=1) == {1}
    assert max(lengths(max_answer_length=2)) == 2


def test_the_packages_null_threshold_decides(package):
    (found,) = prediction.predict(Runner(package()), ["al"], CONTEXT)
    odds = found["null_odds"]
    for threshold, answered in ((odds - 0.01, False), (odds + 0.01, True), (None, True)):
        runner = Runner(package(question_answering={"null_threshold": threshold}))
        (found,) = prediction.predict(runner, ["al"], CONTEXT)
        assert bool(found["answer"]) == answered


@pytest.mark.parametrize("facts", [
    {}, {"question_answering": None}, {"files": [], "question_answering": {"stride": 2}},
    {"files": "all", "question_answering": {"stride": 2}},
    {"files": ["tiny.tflite"], "question_answering": {"stride": 2}}])
def test_a_model_json_without_settings_or_of_other_files_changes_nothing(facts, package):
    assert Runner(package(**facts)).question_answering == DEFAULTS


def test_a_file_alone_has_its_own_settings(models, vocabulary, tmp_path):
    settings = QuestionSettings(stride=3, n_best=2)
    content = mb.export.to_tflite(models["question_answering"], "float32", (LENGTH,),
                                  vocabulary=vocabulary, question_answering=settings).model
    assert Runner(content).question_answering == settings


@pytest.mark.parametrize(("settings", "said"), [
    ({"stride": 0}, "the setting stride should be a whole number from 1 to"),
    ({"stride": -1}, "Received: -1"), ({"max_answer_length": "x"}, "Received: 'x'"),
    ({"n_best": 1e12}, "the setting n_best should"), ({"null_threshold": "x"}, "a number, or null"),
    (3, "should be an object with the settings")])
def test_settings_that_mean_nothing_are_refused(settings, said, package, tmp_path):
    file = package(question_answering=settings)
    dev = tmp_path / "dev.json"
    dev.write_text(json.dumps({"data": [{"paragraphs": [{"context": "al bl", "qas": [
        {"id": "1", "question": "al", "answers": [{"text": "bl", "answer_start": 3}]}]}]}]}))
    for command, arguments in ((predict, (file, "al", "--text-pair", CONTEXT)),
                               (evaluate, (file, "--task", "squad", "--dev", dev))):
        result = invoke(command, *arguments)
        assert isinstance(result.exception, mb.InputError)
        assert str(result.exception).startswith(f"{tmp_path / 'model.json'}: ")
        assert said in str(result.exception)


def test_a_damaged_model_json_is_named(package, tmp_path):
    file = package()
    (tmp_path / "model.json").write_text("{")
    with pytest.raises(mb.InputError, match=r"model\.json is not JSON"):
        Runner(file)
