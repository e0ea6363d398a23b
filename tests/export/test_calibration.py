import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export import calibration, recipes

from . import sst2
from .conftest import LENGTH


@pytest.fixture
def tokenizer(vocabulary):
    return mb.Tokenizer(vocabulary)


@pytest.fixture
def data(tmp_path):
    """64 rows, sorted by class."""
    (tmp_path / "train.tsv").write_text("sentence\tlabel\n" + "al\t0\n" * 32 + "bm\t1\n" * 32)
    return tmp_path


def given(data, tokenizer, **changes):
    arguments = {"task_name": "sst2", "data": data, "tokenizer": tokenizer, "length": LENGTH,
                 "labels": sst2.LABELS, "count": 16, **changes}
    return calibration.examples(**arguments)


def test_texts_are_spread_over_the_file(data, tokenizer):
    inputs = given(data, tokenizer)
    assert {values.shape for values in inputs.values()} == {(16, LENGTH)}
    assert all(values.dtype == np.int32 for values in inputs.values())
    ids = inputs["input_word_ids"]
    first, second = (tokenizer.encode(word)[0] for word in ("al", "bm"))
    assert (ids[:8, 1] == first).all()
    assert (ids[8:, 1] == second).all()
    np.testing.assert_array_equal(inputs["input_mask"].sum(axis=1), 3)


def test_every_other_text_is_the_longest_of_its_run(tmp_path, tokenizer):
    """Runs of four rows, each with one text of four words."""
    rows = ["al", "al", "al al al al", "al"] * 8
    (tmp_path / "train.tsv").write_text(
        "sentence\tlabel\n" + "".join(f"{row}\t0\n" for row in rows))
    tokens = given(tmp_path, tokenizer, count=8)["input_mask"].sum(axis=1)
    assert (tokens[1::2] == 6).all()
    assert (tokens[::2] == 3).any()


def test_the_sample_is_always_the_same(tokenizer, vocabulary, tmp_path):
    data = sst2.write_files(tmp_path, vocabulary, 90)
    one, two = (given(data, tokenizer) for _ in range(2))
    for name, values in one.items():
        np.testing.assert_array_equal(values, two[name])
    assert len(np.unique(one["input_word_ids"], axis=0)) == 16


def test_a_small_training_set_is_taken_whole_and_long_texts_are_cut(tmp_path, tokenizer):
    (tmp_path / "train.tsv").write_text(f"sentence\tlabel\nal\t1\n{'bm ' * 50}\t0\n")
    inputs = given(tmp_path, tokenizer)
    np.testing.assert_array_equal(inputs["input_mask"].sum(axis=1), [3, LENGTH])


@pytest.mark.parametrize(("changes", "message"), [
    ({"task_name": "sst1"}, "unknown task 'sst1'"),
    ({"labels": ("bad", "so so", "gut")}, "of another task than sst2: it has the labels bad, so"),
    ({"labels": None}, "of another task than sst2: it has no labels"),
    ({"labels": ("positive", "negative")}, "of another task"),
    ({"count": 0}, "at least one text"),
])
def test_what_cannot_calibrate_is_refused(changes, message, data, tokenizer):
    with pytest.raises(mb.InputError, match=message):
        given(data, tokenizer, **changes)


def test_a_missing_and_an_empty_training_set_are_refused(tmp_path, tokenizer):
    with pytest.raises(mb.InputError, match=r"cannot read .*train\.tsv: No such file"):
        given(tmp_path, tokenizer)
    (tmp_path / "train.tsv").write_text("sentence\tlabel\n")
    with pytest.raises(mb.InputError, match=r"train\.tsv has a header and no rows"):
        given(tmp_path, tokenizer)


@pytest.fixture
def exports(monkeypatch):
    """What `to_tflite` is given, and a recipe that is calibrated."""
    seen = []
    monkeypatch.setattr(calibration, "to_tflite", lambda *_, **named: seen.append(named))
    monkeypatch.setitem(recipes.RECIPES, "ranged", dataclasses.replace(
        recipes.RECIPES["dynamic_int8"], calibrated=True))
    return seen


def test_a_calibrated_recipe_gets_texts_of_the_longest_length(exports, vocabulary, tmp_path):
    data = sst2.write_files(tmp_path, vocabulary)
    contents = sst2.contents(vocabulary)
    calibration.export(contents, "ranged", (8, LENGTH), data)
    expected = given(data, mb.Tokenizer(vocabulary), count=40)
    for name, values in exports[0]["calibration"].items():
        np.testing.assert_array_equal(values, expected[name])
    calibration.export(contents, "float32", (LENGTH,), None)
    assert exports[1]["calibration"] is None


@pytest.mark.parametrize(("changes", "data"), [
    ({"task": None}, "here"), ({"vocabulary": None}, "here"), ({}, None)])
def test_a_calibrated_recipe_without_texts_is_refused(changes, data, exports, vocabulary):
    with pytest.raises(mb.InputError, match="learns ranges from training texts"):
        calibration.export(sst2.contents(vocabulary, **changes), "ranged", (LENGTH,), data)
    assert not exports
