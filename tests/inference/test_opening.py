"""Models of a directory, ready to run."""

import dataclasses
import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.inference.opening import open_model
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

LENGTH = 4  # shorter than a user may ask for


@pytest.fixture
def short(randomize, tmp_path):
    """The directory of a classifier that was fine-tuned on rows of four tokens."""
    vocabulary = Vocabulary([*SPECIAL_PIECES, *"abcde"])
    config = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1,
                                 vocab_size=len(vocabulary))
    model_directory.save(tmp_path / "model", ModelDirectory(
        randomize(mb.Classifier(mb.Encoder(config), 2)), vocabulary,
        Classification(labels=("negative", "positive")), task="sst2", length=LENGTH))
    assert json.loads((tmp_path / "model" / "model.json").read_text())["length"] == LENGTH
    return tmp_path / "model"


def test_a_model_of_very_short_rows_opens_and_answers_at_its_own_length(short, tmp_path):
    assert open_model(short).length == LENGTH
    best, of_cut = (found["classes"][0] for found in mb.predict(short, ["a b", "a b c d e"]))
    assert of_cut["label"] == best["label"]
    assert of_cut["probability"] == pytest.approx(best["probability"], abs=1e-6)
    (uncut,) = mb.predict(short, ["a b c d e"], length=8)
    assert abs(uncut["classes"][0]["probability"] - best["probability"]) > 1e-3
    (tmp_path / "dev.tsv").write_text(
        f"sentence\tlabel\na b c\t{('negative', 'positive').index(best['label'])}\n")
    assert mb.evaluate(short, "sst2", dev=tmp_path / "dev.tsv").scores["accuracy"] == 1.0


def test_a_user_may_not_ask_it_for_such_a_length(short, tmp_path):
    (tmp_path / "dev.tsv").write_text("sentence\tlabel\na b c\t0\n")
    message = f"the length should be .* at least 5, .* Received: {LENGTH}"
    with pytest.raises(mb.InputError, match=message):
        mb.predict(short, ["a b"], length=LENGTH)
    with pytest.raises(mb.InputError, match=message):
        mb.evaluate(short, "sst2", dev=tmp_path / "dev.tsv", length=LENGTH)


def test_a_package_is_opened_by_its_path(repository, tmp_path):
    package = repository / "models/mobilebert_mini_sst2"
    file = package / "mobilebert_mini_sst2_int8.tflite"
    assert mb.predict(package, ["a quiet film"]) == mb.predict(file, ["a quiet film"])
    (tmp_path / "dev.tsv").write_text("sentence\tlabel\na good film\t1\n")
    scored = mb.evaluate(package, "sst2", dev=tmp_path / "dev.tsv")
    assert (scored.source, scored.scores["accuracy"]) == (file, 1.0)


def test_the_task_of_a_directory_tells_whether_it_reads_pairs(short):
    assert open_model(short).pairs is False
    with pytest.raises(mb.InputError, match="the model reads single texts: leave the second"):
        mb.predict(short, ["a"], "b")
    described = json.loads((short / "model.json").read_text())
    columns = {"text": "one", "second_text": "other", "label": "class"}
    (short / "model.json").write_text(json.dumps(
        {**described, "task": "classification", "columns": columns}))
    assert open_model(short).pairs is True
    with pytest.raises(mb.InputError, match="the model reads pairs of texts: give a second text"):
        mb.predict(short, ["a"])


def test_what_is_no_path_is_named():
    with pytest.raises(mb.InputError, match="path should be a path. Received: None"):
        open_model(None)
