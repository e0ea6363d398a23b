"""Arguments of wrong types: one sentence that names the argument, before anything is opened."""

import json
from pathlib import Path

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import checks
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.data.corpus.settings import CorpusSettings
from mobilebert_tf.export.benchmark import phone
from mobilebert_tf.export.benchmark import texts as on_texts
from mobilebert_tf.export.benchmark.plan import Plan
from mobilebert_tf.export.file.file_lengths import checked_lengths
from mobilebert_tf.export.verify import answers
from mobilebert_tf.finetuning.few_shot_settings import FewShotSettings
from mobilebert_tf.inference.search import search
from mobilebert_tf.training.settings import TrainingSettings

FILE = "no.tflite"


@pytest.mark.parametrize(("texts", "message"), [
    ("a", "texts is one text; give a list, such as ['a']"),
    (None, "texts should be a list of texts. Received: None"),
    (iter(["a"]), "texts should be a list of texts. Received: a list_iterator"),
    ({"a": 1}, "texts should be a list of texts. Received: a dict"),
    ({"a"}, "texts should be a list of texts. Received: a set"),
    (b"a", "texts should be a list of texts. Received: b'a'"),
    (["a", None], "texts[1] should be a text. Received: None"),
    (["a", float("nan")], "texts[1] should be a text. Received: nan"),
    (np.array([1]), "texts[0] should be a text. Received: a int64")])
def test_what_is_no_list_of_texts_is_refused(texts, message):
    for ask in (mb.predict, mb.embed, lambda model, texts: mb.rank(model, "a", texts)):
        with pytest.raises(mb.InputError) as caught:
            ask(FILE, texts)
        assert str(caught.value) == message


def test_arrays_and_tuples_of_texts_are_taken():
    for texts in ((), ("a",), np.array(["a", "b"])):
        checks.check_texts("texts", texts)
    checks.check_texts("second_texts", ["a", None], with_none=True)


@pytest.mark.parametrize(("ask", "message"), [
    (lambda: mb.rank(FILE, None, ["a"]), "query should be a text. Received: None"),
    (lambda: search("no", [1]), "queries[0] should be a text. Received: 1"),
    (lambda: mb.predict(FILE, ["a"], top_k="5"),
     "top_k should be a whole number, 1 or more. Received: '5'"),
    (lambda: mb.predict(FILE, ["a"], length="64"),
     "the length should be a whole number, at least 5, for a token of each of two texts. "
     "Received: '64'"),
    (lambda: mb.evaluate(None, "sst2"), "model should be a path. Received: None"),
    (lambda: mb.export_model("runs/x", "x.tflite", lengths=128),
     "lengths should be a list of whole numbers, such as [64, 128]. Received: 128"),
    (lambda: mb.export_model("runs/x", "x.tflite", lengths="128"),
     "lengths should be a list of whole numbers, such as [64, 128]. Received: '128'"),
    (lambda: mb.export_model("runs/x", None), "output should be a path. Received: None"),
    (lambda: mb.package("runs/x", "out", lengths=["64"]),
     "lengths should be a list of whole numbers, such as [64, 128]. Received: ['64']"),
    (lambda: mb.package("runs/x", "out", recipes="int8"),
     "recipes is one text; give a list, such as ['int8']"),
    (lambda: mb.package("runs/x", "out", samples="a film"),
     "samples is one text; give a list, such as ['a film']"),
    (lambda: mb.package("runs/x", ["out"]), "output should be a path. Received: ['out']"),
    (lambda: mb.package("runs/x", android=1), "android should be a path. Received: 1"),
    (lambda: mb.package("runs/x", "out", recipes=[]), "recipes is empty: give at least one"),
    (lambda: mb.package("runs/x", "out", lengths=[]), "lengths is empty: give at least one"),
    (lambda: mb.export_model("runs/x", "x.tflite", lengths=[]),
     "lengths is empty: give at least one"),
    (lambda: mb.export_model("runs/x", "x.tflite", lengths=64.0),
     "lengths should be a list of whole numbers, such as [64, 128]. Received: 64.0"),
    (lambda: mb.export_model("runs/x", "x.tflite", lengths=[True]),
     "lengths should be a list of whole numbers, such as [64, 128]. Received: [True]"),
    (lambda: mb.export_model("runs/x", "/dev/null"),
     "a report goes beside the file, and /dev/null is no file: name one"),
    (lambda: mb.export_model("runs/x", "x.tflite", recipe=None),
     "recipe should be a text. Received: None"),
    (lambda: mb.package_web("out", "models"),
     "models is one text; give a list, such as ['models']"),
    (lambda: mb.predict(FILE, ["a"], top_k=True),
     "top_k should be a whole number, 1 or more. Received: True"),
    (lambda: mb.Cascade(FILE, FILE, "0.5"),
     "the threshold of a cascade should be from 0 to 1. Received: 0.5"),
    (lambda: mb.Cascade(FILE, FILE, True),
     "the threshold of a cascade should be from 0 to 1. Received: True")])
def test_other_wrong_types_are_named(ask, message):
    with pytest.raises(mb.InputError) as caught:
        ask()
    assert str(caught.value) == message


COUNT = "should be a whole number, 1 or more. Received:"
LOSS = "the loss is in points of the metric, 0 or more. Received:"


@pytest.mark.parametrize(("ask", "message"), [
    (lambda: mb.export.tune(FILE), f"models is one text; give a list, such as ['{FILE}']"),
    (lambda: mb.export.tune(Path(FILE)), f"models is one path; give a list, such as ['{FILE}']"),
    (lambda: mb.export.tune([]), "models is empty: give at least one"),
    (lambda: mb.export.tune(iter([FILE])), "models should be a list. Received: a list_iterator"),
    (lambda: mb.export.tune([FILE, 5]), "models[1] should be a path. Received: 5"),
    (lambda: mb.export.tune([FILE], recipes="int8"),
     "recipes is one text; give a list, such as ['int8']"),
    (lambda: mb.export.tune([FILE], recipes=[]), "recipes is empty: give at least one"),
    (lambda: mb.export.tune([FILE], recipes=[8]), "recipe should be a text. Received: 8"),
    (lambda: mb.export.tune([FILE], texts="a film"),
     "texts is one text; give a list, such as ['a film']"),
    (lambda: mb.export.tune([FILE], lengths=[]), "lengths is empty: give at least one"),
    (lambda: mb.export.tune([FILE], threads=2), "threads should be a list. Received: 2"),
    (lambda: mb.export.tune([FILE], threads=[]), "threads is empty: give at least one"),
    (lambda: mb.export.tune([FILE], threads=[2, 0]), f"threads {COUNT} 0"),
    (lambda: mb.export.tune([FILE], threads=[1 << 30]),
     "the threads of a file should be 1 to 1,024. Received: 1,073,741,824"),
    (lambda: mb.export.tune([FILE], runs=0), f"runs {COUNT} 0"),
    (lambda: mb.export.tune([FILE], loss=-0.5), f"{LOSS} -0.5"),
    (lambda: mb.export.tune([FILE], loss=float("nan")), f"{LOSS} nan"),
    (lambda: mb.export.choose_lengths(None, ["a"]), "model should be a path. Received: None"),
    (lambda: mb.export.choose_lengths(FILE, "a film"),
     "texts is one text; give a list, such as ['a film']"),
    (lambda: mb.export.choose_lengths(FILE, ["a"], budget=2.5), f"budget {COUNT} 2.5"),
    (lambda: mb.export.choose_lengths(FILE, ["a"], runs=0), f"runs {COUNT} 0"),
    (lambda: mb.export.choose_lengths(FILE, ["a"], threads=0), f"threads {COUNT} 0"),
    (lambda: mb.export.choose_lengths(FILE, ["a"], candidates="64"),
     "candidates should be a list of whole numbers, such as [64, 128]. Received: '64'"),
    (lambda: mb.export.choose_cascade(FILE, None, "sst2"), "second should be a path. Received: "
                                                           "None"),
    (lambda: mb.export.choose_cascade(FILE, FILE, "sst2", runs=0), f"runs {COUNT} 0"),
    (lambda: mb.export.choose_cascade(FILE, FILE, "sst2", threads=0), f"threads {COUNT} 0"),
    (lambda: mb.export.choose_cascade(FILE, FILE, "sst2", loss=float("inf")),
     "the loss of a cascade should be 0 or more points. Received: inf"),
    (lambda: mb.export.choose_cascade(FILE, FILE, "sst2", loss="1"),
     "the loss of a cascade should be 0 or more points. Received: 1"),
    (lambda: mb.export.compare("mobilebert"),
     "systems is one text; give a list, such as ['mobilebert']"),
    (lambda: mb.export.compare([]), "systems is empty: give at least one"),
    (lambda: mb.export.compare(threads=2), "threads should be a list. Received: 2"),
    (lambda: mb.export.compare(threads=[1.5]), f"threads {COUNT} 1.5"),
    (lambda: mb.export.compare(runs=True), f"runs {COUNT} True"),
    (lambda: mb.export.compare(length="64"),
     "lengths should be a list of whole numbers, such as [64, 128]. Received: ('64',)"),
    (lambda: Plan(presets="mobilebert"),
     "presets is one text; give a list, such as ['mobilebert']"),
    (lambda: Plan(files=FILE), f"files is one text; give a list, such as ['{FILE}']"),
    (lambda: Plan(lengths=64),
     "lengths should be a list of whole numbers, such as [64, 128]. Received: 64"),
    (lambda: on_texts.measure(FILE, ["a"]), f"files is one text; give a list, such as ['{FILE}']"),
    (lambda: on_texts.measure([FILE], "a film"),
     "texts is one text; give a list, such as ['a film']"),
    (lambda: on_texts.measure([FILE], []), "there is no text to run"),
    (lambda: phone.measure(FILE, "tool"), f"files is one text; give a list, such as ['{FILE}']"),
    (lambda: phone.measure([], "tool"), "files is empty: give at least one"),
    (lambda: phone.measure([FILE], "tool", threads=0), f"threads {COUNT} 0"),
    (lambda: phone.measure([FILE], "tool", runs=-1), f"runs {COUNT} -1"),
    (lambda: answers.expected(FILE), f"files is one text; give a list, such as ['{FILE}']")])
def test_measurements_name_a_wrong_argument_before_they_open_a_file(ask, message):
    with pytest.raises(mb.InputError) as caught:
        ask()
    assert str(caught.value) == message


def test_a_plan_has_pythons_own_numbers():
    plan = Plan(presets=["micro"], lengths=np.array([8, 16]), threads=np.int64(1), runs=np.int64(3))
    assert json.dumps([plan.lengths, plan.threads, plan.runs]) == "[[8, 16], 1, 3]"


def test_lengths_of_an_array_go_into_a_file():
    found = checked_lengths(np.array([16, 8]), mb.presets.get("micro"))
    assert json.dumps(found) == "[8, 16]"


def test_a_keras_model_is_no_path_and_not_open():
    model = mb.Classifier(mb.Encoder(mb.presets.get("micro")), 2)
    with pytest.raises(mb.InputError, match="model should be a path, or a model that open_model "
                                            "opened. Received: a Classifier"):
        mb.predict(model, ["a"])
    with pytest.raises(mb.InputError, match="Received: a Classifier"):
        mb.embed(model, ["a"])
    with pytest.raises(mb.InputError, match="model should be a path. Received: a Classifier"):
        mb.export_model(model, "x.tflite")
    with pytest.raises(mb.InputError, match="lengths should be a list of whole numbers"):
        mb.export.to_tflite(model, lengths=128)
    with pytest.raises(mb.InputError, match="labels is one text"):
        mb.export.to_tflite(model, labels="ab")


@pytest.mark.parametrize("threads", ["2", 1.5, 0])
def test_threads_are_a_whole_number(threads, repository):
    file = repository / "models" / "mobilebert_mini_sst2" / "mobilebert_mini_sst2_int8.tflite"
    with pytest.raises(mb.InputError) as caught:
        mb.predict(file, ["a"], threads=threads)
    assert str(caught.value) == (
        f"threads should be a whole number, 1 or more. Received: {threads!r}")
    assert mb.predict(file, ["a"], threads=np.int64(1)) == mb.predict(file, ["a"], threads=1)


@pytest.mark.parametrize(("kind", "name", "value", "message"), [
    (mb.FineTuningSettings, "learning_rate", None, "a number. Received: None"),
    (mb.FineTuningSettings, "batch_size", 2.5, "a whole number. Received: 2.5"),
    (mb.FineTuningSettings, "patience", "a", "a whole number or None. Received: 'a'"),
    (mb.FineTuningSettings, "precision", 3, "a text. Received: 3"),
    (FewShotSettings, "rows", None, "a whole number. Received: None"),
    (TrainingSettings, "seed", np.int64(1), "a whole number. Received: a int64"),
    (CorpusSettings, "length", "12", "a whole number. Received: '12'"),
    (AugmentationSettings, "as_published", "yes", "True or False. Received: 'yes'"),
    (AugmentationSettings, "seed", True, "a whole number. Received: True")])
def test_a_setting_of_a_wrong_type_is_named(kind, name, value, message):
    with pytest.raises(mb.InputError) as caught:
        kind(**{name: value})
    assert str(caught.value) == f"{name} should be {message}"


def test_settings_take_whole_numbers_and_numpys_where_numbers_are_asked_for():
    assert mb.FineTuningSettings(learning_rate=1).learning_rate == 1
    assert mb.FineTuningSettings(learning_rate=np.float64(0.5)).learning_rate == 0.5
