"""Arguments of wrong types: one sentence that names the argument, before anything is opened."""

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import checks
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.data.corpus.settings import CorpusSettings
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
     "samples is one text; give a list, such as ['a film']")])
def test_other_wrong_types_are_named(ask, message):
    with pytest.raises(mb.InputError) as caught:
        ask()
    assert str(caught.value) == message


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
