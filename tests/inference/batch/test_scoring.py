"""`score_files`: its scores are those of `evaluate` on the same table."""

import json

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch import file_scores
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.inference.batch.over_files import predict_files, score_files
from mobilebert_tf.inference.batch.row import Row
from mobilebert_tf.inference.batch.scoring_work import ScoringWork
from mobilebert_tf.inference.evaluate import evaluate
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.multi_label import MultiLabel
from mobilebert_tf.kinds.regression import Regression

# The model is wrong about the last two.
REVIEWS = [("a gripping film", "positive"), ("it drags", "negative"), ("fine acting", "positive"),
           ("dull and lifeless", "negative"), ("a delight", "negative"), ("a waste", "positive")]
COMMENTS = [("thank you so much!", ["gratitude"]), ("i am so angry about this", ["anger"]),
            ("that is so sad", ["sadness", "grief"]), ("what time is it?", "curiosity"),
            ("the train leaves at ten", []), ("it stops here", None), (5, [])]
COLUMNS = {"text": "text", "label": "label"}


def table(path, rows):
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n"
                            for text, label in rows))
    return path


def settings(**changes):
    return JobSettings(**{"workers": 1, "shard_rows": 2, **changes})


def rows(*labels):
    return [Row(f"id{number}", f"line {number}", "b", label=label)
            for number, label in enumerate(labels)]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_classes(form, shipped, tmp_path):
    reviews = table(tmp_path / "reviews.jsonl", REVIEWS)
    found = score_files(shipped("sst2"), [reviews], tmp_path / "out", settings(format=form))
    expected = evaluate(shipped("sst2"), "classification", dev=reviews, **COLUMNS)
    assert found.scores == expected.scores
    assert found.scores["accuracy"] == pytest.approx(4 / 6)
    assert found.parts == expected.parts
    written = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert written == {"kind": "classification", "examples": 6, "metric": "accuracy",
                       **found.scores, "parts": found.parts}


def test_several_labels(shipped, tmp_path):
    comments = table(tmp_path / "comments.jsonl", COMMENTS)
    found = score_files(shipped("emotion"), [comments], tmp_path / "out", settings())
    expected = evaluate(shipped("emotion"), "multi_label", dev=comments, **COLUMNS)
    # The best threshold needs the probabilities, which a score over files does not keep.
    assert found.scores == {name: expected.scores[name] for name in ("micro_f1", "macro_f1")}
    assert 0 < found.scores["micro_f1"] < 1
    assert found.parts == expected.parts


def test_settings_of_the_kind_count(shipped, tmp_path):
    comments = table(tmp_path / "comments.jsonl", COMMENTS)
    found = score_files(shipped("emotion"), [comments], tmp_path / "out", settings(),
                        kind_settings={"threshold": 1.0})
    assert found.scores["micro_f1"] == 0


def test_numbers(scripted, letters):
    runner = scripted(letters, lambda inputs: {
        "score": inputs["input_word_ids"][:, 1:2] / 2}, Regression())
    one, text, wrong, null, none = ScoringWork().run(
        runner, [*rows(1, "2.5", "much", None), Row("id4", "line 4", "b")])
    assert one.record == {"id": "id0", "text": "b", "label": "1", "answer": 3.0, "score": 3.0,
                          "truncated": False}
    assert (text.values["label"], text.values["answer"]) == ("2.5", 3.0)
    assert [one.reason for one in (wrong, null, none)] == [
        "the label 'much' is not a number", "the label '' is not a number",
        "there is no label; a row to score is a line of a .jsonl file and has one"]


def test_rows_without_a_known_label_or_an_answer_are_set_aside(scripted, letters):
    runner = scripted(letters, lambda inputs: {
        "probabilities": np.tile([0.2, 0.8], (len(inputs["input_word_ids"]), 1))},
        Classification(labels=("no", "yes")))
    given = rows("yes", "maybe", ["no", "yes"], {"a": 1}, " no ")
    given.append(Row("empty", "line 5", "\u200b", label="yes"))
    found = ScoringWork().run(runner, given)
    assert [getattr(one, "reason", None) for one in found] == [
        None, "the label 'maybe' is not one of no, yes",
        "line 2: 'label' is [\"no\", \"yes\"]; it should be a string or a number",
        "line 3: 'label' is {\"a\": 1}; it should be a string or a number", None,
        "the text has no tokens"]
    assert [one.values["answer"] for one in (found[0], found[4])] == ["yes", "yes"]


def test_a_class_may_have_what_separates_labels_in_its_name(scripted, letters):
    runner = scripted(letters, lambda inputs: {
        "probabilities": np.tile([0.2, 0.8], (len(inputs["input_word_ids"]), 1))},
        Classification(labels=("a|b", "c")))
    found, = ScoringWork().run(runner, rows("a|b"))
    assert (found.values["label"], found.values["answer"]) == ("a|b", "c")


def test_a_set_of_labels_is_written_as_names(scripted, letters):
    runner = scripted(letters, lambda inputs: {
        "probabilities": np.tile([0.2, 0.8, 0.7], (len(inputs["input_word_ids"]), 1))},
        MultiLabel(labels=("a", "b", "c")).with_settings(threshold=0.75))
    (found,) = ScoringWork().run(runner, rows(["a", "b"]))
    assert (found.values["label"], found.values["answer"]) == ("a|b", ["b"])


def test_what_cannot_be_scored_is_refused(shipped, tmp_path):
    reviews = table(tmp_path / "reviews.jsonl", [("a film", "good")])
    with pytest.raises(InputError, match="not scored for tagging; evaluate the model"):
        score_files(shipped("restaurant"), [reviews], tmp_path / "tags", settings())
    with pytest.raises(InputError, match="no row has an answer to score; .*bad_rows.jsonl"):
        score_files(shipped("sst2"), [reviews], tmp_path / "out", settings())
    assert "is not one of" in (tmp_path / "out" / "bad_rows.jsonl").read_text()
    assert not (tmp_path / "out" / "scores.json").exists()


@pytest.mark.parametrize(("changes", "message"), [
    ({"kind": "other"}, "out: unknown kind 'other'"),
    ({"kind": "embedding"}, "is not of a job that scores: its model is for embedding"),
    ({"labels": None}, "is not of a job that scores"),
    ({"labels": ["x", "y"]}, r"part-\S+, row 1 has no label and answer of a model for class")])
def test_what_is_not_of_a_job_that_scores_is_refused(changes, message, shipped, tmp_path):
    reviews = table(tmp_path / "reviews.jsonl", REVIEWS[:1])
    score_files(shipped("sst2"), [reviews], tmp_path / "out", settings())
    job = json.loads((tmp_path / "out" / "job.json").read_text())
    (tmp_path / "out" / "job.json").write_text(json.dumps(job | {"model": job["model"] | changes}))
    with pytest.raises(InputError, match=message):
        file_scores.of(tmp_path / "out")


def test_rows_without_labels_are_not_scored(shipped, tmp_path):
    (tmp_path / "a.txt").write_text("fine")
    predict_files(shipped("sst2"), [tmp_path / "a.txt"], tmp_path / "out", settings())
    with pytest.raises(InputError, match=r"part-\S+, row 1 has no label and answer"):
        file_scores.of(tmp_path / "out")
