import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.export import Runner, recipes
from mobilebert_tf.export.file import calibration
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.multi_label import MultiLabel
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task_data import TaskData

from .. import every_kind, sst2
from ..conftest import LABELS, LENGTH


@pytest.fixture
def tokenizer(vocabulary):
    return mb.Tokenizer(vocabulary)


@pytest.fixture
def data(tmp_path):
    """64 rows, sorted by class."""
    (tmp_path / "train.tsv").write_text("sentence\tlabel\n" + "al\t0\n" * 32 + "bm\t1\n" * 32)
    return tmp_path


def given(directory, tokenizer, **changes):
    arguments = {"data": sst2.data(directory), "tokenizer": tokenizer, "length": LENGTH,
                 "kind": Classification(labels=sst2.LABELS), "count": 16, **changes}
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


def test_several_training_files_are_one_set(tmp_path, tokenizer):
    for name, word in (("a.tsv", "al"), ("b.tsv", "bm")):
        (tmp_path / name).write_text("sentence\tlabel\n" + f"{word}\t0\n" * 32)
    files = TaskData(sst2.data(tmp_path).task, (tmp_path / "a.tsv", tmp_path / "b.tsv"), None)
    ids = given(tmp_path, tokenizer, data=files)["input_word_ids"][:, 1]
    assert ids.tolist() == [tokenizer.encode(word)[0] for word in ("al", "bm") for _ in range(8)]


def test_every_other_text_is_the_longest_of_its_run(tmp_path, tokenizer):
    """Runs of four rows, each with one text of four words."""
    rows = ["al", "al", "al al al al", "al"] * 8
    (tmp_path / "train.tsv").write_text(
        "sentence\tlabel\n" + "".join(f"{row}\t0\n" for row in rows))
    tokens = given(tmp_path, tokenizer, count=8)["input_mask"].sum(axis=1)
    assert (tokens[1::2] == 6).all()
    assert (tokens[::2] == 3).any()


def test_of_long_runs_some_rows_from_all_over_are_looked_at(tmp_path, tokenizer):
    """One run of 300 rows, whose words rise: no beginning of the run, and no more than 64 rows."""
    rows = [" ".join(["al"] * (1 + row // 38)) for row in range(300)]
    (tmp_path / "train.tsv").write_text(
        "sentence\tlabel\n" + "".join(f"{row}\t0\n" for row in rows))
    task = sst2.data(tmp_path).task
    seen = []

    class Watched(Classification):
        def rows(self, examples, tokenizer, length):
            seen.extend(len(text.split()) for text in examples.texts)
            return super().rows(examples, tokenizer, length)

    watched = dataclasses.replace(task, kind=Watched(labels=task.labels))
    given(tmp_path, tokenizer, count=1, data=dataclasses.replace(sst2.data(tmp_path), task=watched))
    assert len(seen) == 64
    assert seen == sorted(seen)
    assert set(seen) == set(range(1, 9))


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


@pytest.mark.parametrize("kind", every_kind.NAMES)
def test_every_kind_gives_rows_of_its_training_set(kind, models, vocabulary, tokenizer, tmp_path):
    """The kind makes the rows, pairs or windows; each is of another example."""
    tuned = every_kind.tuned(kind, models[kind], vocabulary, tmp_path)
    inputs = calibration.examples(tuned.data, tokenizer, LENGTH, tuned.contents.kind, count=16)
    assert {values.shape for values in inputs.values()} == {(16, LENGTH)}
    task = tuned.data.task.bound(LABELS.get(kind), None)
    features = task.kind.rows(task.read(tuned.data.train_files[0]), tokenizer, LENGTH)
    packed = features.packed(LENGTH, vocabulary.pad_id)
    rows = np.concatenate([packed[name] for name in sorted(packed)], axis=1)
    example_of = {row.tobytes(): example for example, count in enumerate(
        features.rows or [1] * len(rows)) for row in rows[sum((features.rows or [1] * len(rows))[
            :example]):][:count]}
    sampled = np.concatenate([inputs[name] for name in sorted(inputs)], axis=1)
    examples = [example_of[row.tobytes()] for row in sampled]
    assert examples == sorted(set(examples))
    has_second = (inputs["input_type_ids"] == 1).any(axis=1)
    assert has_second.all() == (kind in ("regression", "question_answering"))
    assert has_second.any() == has_second.all()
    np.testing.assert_array_equal(inputs["input_mask"], inputs["input_word_ids"] != 0)


def test_other_windows_of_a_text_than_the_first_are_taken_too(models, vocabulary, tokenizer,
                                                              tmp_path):
    """The end of a text, where padding and [SEP] are, is in its last window."""
    tuned = every_kind.tuned("question_answering", models["question_answering"], vocabulary,
                             tmp_path)
    inputs = calibration.examples(tuned.data, tokenizer, LENGTH, tuned.contents.kind, count=20)
    firsts = {tuple(found[0].ids) for found in tuned.data.task.kind.rows(
        tuned.data.task.read(tuned.data.dev_file), tokenizer, LENGTH).origin}
    rows = [tuple(ids[mask == 1]) for ids, mask in zip(
        inputs["input_word_ids"], inputs["input_mask"], strict=True)]
    assert 0 < sum(row in firsts for row in rows) < len(rows)


def test_questions_on_contexts_without_tokens_are_skipped(tmp_path, tokenizer):
    def written(*contexts):
        (tmp_path / "train-v2.0.json").write_text(json.dumps({"data": [{"paragraphs": [
            {"context": context, "qas": [{"id": str(number), "question": "al", "answers": [],
                                          "is_impossible": True}]}
            for number, context in enumerate(contexts)]}]}))
        task = catalogue.of("squad_v2")
        return calibration.examples(catalogue.data(task, tmp_path), tokenizer, LENGTH, task.kind)

    one, other = written(" ", "al bl", ""), written("al bl")
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name])
    with pytest.raises(mb.InputError, match=r"a text with tokens, .* none: .*train-v2\.0\.json$"):
        written(" ", "")


@pytest.mark.parametrize(("changes", "message"), [
    ({"kind": Classification(labels=("bad", "so so", "gut"))},
     "has other labels than the task sst2: it alone has bad, so so, gut; the task alone has neg"),
    ({"kind": Classification()}, "has no labels; the task sst2 has negative, positive"),
    ({"kind": Classification(labels=("positive", "negative"))},
     "has the labels of the task sst2 in another order"),
    ({"count": 0}, "at least one text"),
])
def test_what_cannot_calibrate_is_refused(changes, message, data, tokenizer):
    with pytest.raises(mb.InputError, match=message):
        given(data, tokenizer, **changes)


def test_missing_unnamed_and_empty_training_files_are_refused(tmp_path, tokenizer):
    with pytest.raises(mb.InputError, match=r"cannot read .*train\.tsv: No such file"):
        given(tmp_path, tokenizer)
    (tmp_path / "train.tsv").write_text("sentence\tlabel\n")
    with pytest.raises(mb.InputError, match=r"train\.tsv has no rows"):
        given(tmp_path, tokenizer)
    unnamed = dataclasses.replace(sst2.data(tmp_path), train_files=())
    with pytest.raises(mb.InputError, match="no training data for the task sst2: name its dir"):
        given(tmp_path, tokenizer, data=unnamed)


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
    calibration.calibrated(contents, "ranged", (8, LENGTH), sst2.data(data))
    expected = given(data, mb.Tokenizer(vocabulary), count=40)
    for name, values in exports[0]["calibration"].items():
        np.testing.assert_array_equal(values, expected[name])
    calibration.calibrated(contents, "float32", (LENGTH,), None)
    assert exports[1]["calibration"] is None


@pytest.mark.parametrize(("kind", "given", "used"), [
    ("question_answering", *[QuestionSettings(stride=7, null_threshold=-1.5)] * 2),
    ("question_answering", None, QuestionSettings()),
    ("multi_label", *[MultiLabel.settings_type(threshold=0.25)] * 2),
    ("multi_label", None, MultiLabel.settings_type(threshold=0.5))])
def test_a_file_has_the_settings_of_its_model(kind, given, used, models, vocabulary):
    contents = ModelDirectory(models[kind], vocabulary, kinds.of(models[kind], settings=given))
    result = calibration.calibrated(contents, "float32", (LENGTH,), None)
    assert Runner(result.model).kind.settings == given
    assert Runner(result.model).kind.used_settings == used


@pytest.mark.parametrize(("task", "pairs"), [("sst2", False), ("mrpc", True), (None, None)])
def test_a_file_says_alone_whether_it_reads_pairs(task, pairs, models, vocabulary):
    model = models["classification"]
    contents = ModelDirectory(model, vocabulary, kinds.of(model), task=task)
    runner = Runner(calibration.calibrated(contents, "float32", (LENGTH,), None).model)
    assert runner.pairs is runner.metadata.pairs is pairs
    if pairs:
        with pytest.raises(mb.InputError, match="the model reads pairs of texts"):
            mb.predict(runner, ["al"])


def test_ranges_are_of_windows_as_the_model_cuts_them(models, vocabulary, exports, tmp_path):
    """A question of one token leaves the context more of a window than one of three."""
    tuned = every_kind.tuned("question_answering", models["question_answering"], vocabulary,
                             tmp_path)
    for settings in (None, QuestionSettings(max_question_length=1)):
        contents = dataclasses.replace(
            tuned.contents, kind=tuned.contents.kind.bound(None, settings))
        calibration.calibrated(contents, "ranged", (LENGTH,), tuned.data)
    usual, short = ((one["calibration"]["input_type_ids"] == 0) * one["calibration"]["input_mask"]
                    for one in exports)
    assert usual.sum(axis=1).max() == 5  # [CLS], three tokens, [SEP]
    assert short.sum(axis=1).max() == 3


@pytest.mark.parametrize(("changes", "has_data"), [({"vocabulary": None}, True), ({}, False)])
def test_a_calibrated_recipe_without_texts_is_refused(changes, has_data, exports, vocabulary,
                                                      tmp_path):
    with pytest.raises(mb.InputError, match="learns ranges from training examples of the model's"):
        calibration.calibrated(sst2.contents(vocabulary, **changes), "ranged", (LENGTH,),
                           sst2.data(tmp_path) if has_data else None)
    assert not exports
