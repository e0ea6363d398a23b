import types

import numpy as np
import pytest

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.output import Output
from mobilebert_tf.running import run as running
from mobilebert_tf.tasks import catalogue, submitting

# Of a kind, only its outputs count for running rows.
KIND = types.SimpleNamespace(outputs={
    "score": Output("a number a row"), "ids": Output("one a token", per_token=True),
    "probabilities": Output("several a row")})


def lengths(inputs):
    """Of each row its number of tokens, and of each token its id."""
    return {"score": inputs["input_mask"].sum(axis=1, keepdims=True),
            "ids": inputs["input_word_ids"]}


def features(counts):
    return Features([np.arange(100, 100 + count, dtype=np.int32) for count in counts], counts)


def test_every_row_is_run_once_at_its_width_and_comes_back_in_its_place(letters, scripted):
    counts = np.random.default_rng(1).integers(2, 17, 100).tolist()
    runner, shown = scripted(letters, lengths, KIND), []
    found = running.outputs(runner, features(counts), lambda batches, what: (
        shown.append((len(batches), what)) or batches), "Mine")
    np.testing.assert_array_equal(found["score"][:, 0], counts)  # no token was cut
    assert found["ids"].shape == (100, 16)
    for row, count in zip(found["ids"], counts, strict=True):
        assert row[:count].tolist() == list(range(100, 100 + count))
        assert not row[count:].any()
    assert {width for _, width in runner.batches} == {8, 16}
    assert sum(rows for rows, _ in runner.batches) == 100
    assert max(rows for rows, _ in runner.batches) == 32
    assert shown == [(len(runner.batches), "Mine")]
    np.testing.assert_array_equal(running.widths(runner, features([2, 8, 9])), [8, 8, 16])


def test_a_value_a_row_as_long_as_a_batch_is_wide_is_no_value_a_token(letters, scripted):
    """Eight classes, and rows of eight positions."""
    runner = scripted(letters, lambda inputs: {
        "probabilities": np.tile(np.arange(8), (len(inputs["input_mask"]), 1))}, KIND)
    found = running.outputs(runner, features([3, 12]))["probabilities"]
    np.testing.assert_array_equal(found, [np.arange(8)] * 2)


@pytest.fixture
def examples():
    return LabelledTexts(("a", "b", "c"), (0, 1, 1), names=("negative", "positive"))


def by_letter(**probabilities):
    def outputs(inputs):
        letters = ["abcdefghij"[row[1] - 5] for row in inputs["input_word_ids"].tolist()]
        return {"probabilities": [probabilities[letter] for letter in letters]}

    return outputs


def test_answers_are_scored_and_those_without_numbers_are_none(letters, scripted, examples):
    task = catalogue.of("sst2")
    runner = scripted(letters, by_letter(a=(0.9, 0.1), b=(0.2, 0.8), c=(np.nan, np.nan)),
                      task.kind)
    run = running.run(task.kind, runner, examples, task.kind.rows(examples, letters, 8))
    assert task.kind.readable(run.answers, examples) == ["negative", "positive", None]
    assert run.finite.tolist() == [True, True, False]
    assert task.score(run.answers, examples) == {"accuracy": pytest.approx(2 / 3)}
    assert run.outputs["probabilities"].shape == (3, 2)


def test_an_answer_needs_numbers_in_all_of_its_rows(letters, scripted):
    task = catalogue.of("similarity")
    pairs = LabelledTexts(("a", "b", "c"), (1.0, 2.0, 3.0), ("b", "d", "c"))
    runner = scripted(letters, lambda inputs: {"sentence_embedding": [
        [1, np.nan] if row[1] == 8 else [row[1], 0]
        for row in inputs["input_word_ids"].tolist()]}, task.kind)
    run = running.run(task.kind, runner, pairs, task.kind.rows(pairs, letters, 8))
    assert run.answers == [5 * 6, None, 7 * 7]


def test_a_test_set_is_answered_in_the_benchmarks_file(letters, scripted, tmp_path):
    task = catalogue.of("sst2")
    test = LabelledTexts(("a", "b"), None, names=task.labels)
    runner = scripted(letters, by_letter(a=(0.9, 0.1), b=(0.2, 0.8), c=(np.inf, 0)),
                      task.kind)
    path = submitting.submit(task, runner, test, tmp_path)
    assert (path.name, path.read_text()) == ("SST-2.tsv", "index\tprediction\n0\t0\n1\t1\n")
    with pytest.raises(InputError, match="not finite for the test set"):
        submitting.submit(task, runner, LabelledTexts(("c",), None), tmp_path)
