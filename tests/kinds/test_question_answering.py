import dataclasses
import json

import numpy as np
import pytest

from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.running import run as running
from mobilebert_tf.tasks import catalogue

CONTEXT = "c d e f g h i j"
ASKED = Question("1", "a b", CONTEXT, (Answer("h i", 10),))
IMPOSSIBLE = Question("2", "b", CONTEXT, (), True)
# [CLS] a b [SEP], four tokens of the context, [SEP]; of "b" alone, five.
LENGTH = 9


@pytest.fixture
def task():
    return catalogue.of("squad")


@pytest.fixture
def with_null():
    return catalogue.of("squad_v2")


def logits(features, starts, ends, width=12):
    """Zeros but for {(row, token): logit}, and much more at padding, which nobody may choose."""
    found = []
    for given in (starts, ends):
        rows = np.full((len(features.ids), width), 50, np.float32)
        for row, ids in enumerate(features.ids):
            rows[row, :len(ids)] = 0
        for place, value in given.items():
            rows[place] = value
        found.append(rows)
    return {"start_logits": found[0], "end_logits": found[1]}


def test_windows_have_both_segments_and_the_answer_where_it_is(task, letters):
    features = task.kind.rows((ASKED,), letters, LENGTH)
    assert [ids.tolist() for ids in features.ids] == [
        [2, 5, 6, 3, 7, 8, 9, 10, 3], [2, 5, 6, 3, 11, 12, 13, 14, 3]]
    assert features.first_lengths == [4, 4]
    # In the first window the answer is not: [CLS].
    assert features.targets == {"start_logits": [0, 5], "end_logits": [0, 6]}
    assert features.rows == [2]
    assert features.packed(10, 0)["input_type_ids"].tolist() == [[0] * 4 + [1] * 5 + [0]] * 2
    assert {ids.dtype for ids in features.ids} == {np.dtype(np.int32)}


def test_the_best_span_of_all_windows_is_cut_from_the_context(task, letters):
    features = task.kind.rows((ASKED, IMPOSSIBLE), letters, LENGTH)
    assert features.rows == [2, 2]
    # "e f" in the first window, and better "h i" in the second; "g" to "i" of the other question.
    outputs = logits(features, {(0, 6): 3, (1, 5): 4, (2, 7): 2}, {(0, 7): 3, (1, 6): 4, (3, 5): 1})
    answers = task.kind.answers(outputs, (ASKED, IMPOSSIBLE), features)
    assert [answer.id for answer in answers] == ["1", "2"]
    best = answers[0].best
    assert (best.text, best.start, best.end) == ("h i", 10, 13)
    assert (best.start_logit, best.end_logit, answers[0].null_score) == (4, 4, 0)
    assert answers[0].n_best[1].text == "e f"
    assert task.kind.comparable(answers)[0] == (10, 13)
    assert task.kind.comparable([None]) == [None]
    json.dumps([dataclasses.asdict(answer) for answer in answers])  # no numbers of NumPy's


def answered(task, letters, starts, ends, questions=(ASKED, IMPOSSIBLE)):
    features = task.kind.rows(questions, letters, 16)
    return task.kind.answers(logits(features, starts, ends, 16), questions, features)


def test_scores_are_parts_of_one_and_none_is_wrong(task, letters):
    right = answered(task, letters, {(0, 9): 5}, {(0, 10): 5}, (ASKED,))
    assert right[0].best.text == "h i"
    assert task.score(right, (ASKED,)) == {"exact_match": 1.0, "f1": 1.0}
    # One word of two: precision 1, recall a half.
    half = answered(task, letters, {(0, 9): 5}, {(0, 9): 5}, (ASKED,))
    assert task.score(half, (ASKED,)) == pytest.approx({"exact_match": 0.0, "f1": 2 / 3})
    assert task.score([None], (ASKED,)) == {"exact_match": 0.0, "f1": 0.0}
    assert task.kind.readable([right[0], None], (ASKED, IMPOSSIBLE)) == {"1": "h i", "2": ""}
    # There always is an answer, even where [CLS] is far ahead of it.
    behind = answered(task, letters, {(0, 9): 5, (0, 0): 9}, {(0, 10): 5, (0, 0): 9}, (ASKED,))
    assert task.kind.readable(behind, (ASKED,)) == {"1": "h i"}
    assert task.score(behind, (ASKED,))["exact_match"] == 1
    assert task.metrics.main == "f1"


def test_no_answer_is_an_answer_above_the_threshold(with_null, letters):
    questions = (ASKED, IMPOSSIBLE)
    # [CLS] is 6 behind the first question's answer, and 2 ahead of the second's.
    answers = answered(with_null, letters, {(0, 9): 3, (1, 4): 1, (1, 0): 2},
                       {(0, 10): 3, (1, 4): 1, (1, 0): 2})
    assert [answer.null_odds for answer in answers] == [-6, 2]
    score = with_null.score(answers, questions)
    assert (score["exact"], score["f1"], score["best_f1"], score["total"]) == (1, 1, 1, 2)
    assert with_null.kind.readable(answers, questions) == {"1": "h i", "2": ""}
    assert with_null.metrics.main in score

    assert with_null.kind.report("null_odds", answers) == {"1": -6, "2": 2}
    first, second = with_null.kind.report("n_best", answers).values()
    assert first[0] == {"text": "h i", "probability": answers[0].n_best[0].probability,
                        "start_logit": 3, "end_logit": 3}
    assert [one["text"] for one in second[:2]] == ["", "d"]

    always = with_null.bound(None, QuestionSettings(null_threshold=5.0))
    assert (always.score(answers, questions)["exact"],
            always.kind.readable(answers, questions)["2"]) == (0.5, "d")
    for metric, threshold in (("best_f1", -6), ("best_exact", -5), ("f1", 0), ("exact", 0)):
        assert with_null.kind.decided({**score, "best_exact_thresh": -5}, metric).settings == (
            QuestionSettings(null_threshold=threshold))
    assert dataclasses.replace(always.kind, unanswerable="none").decided(score, "f1").settings == (
        QuestionSettings(null_threshold=None))
    never = with_null.bound(None, QuestionSettings(null_threshold=-7.0))
    assert never.score(answers, questions)["exact"] == 0.5
    # An export that moved the null odds would give other answers.
    assert [one.kind.comparable(answers)[1] for one in (with_null, always, never)] == [
        (), (2, 3), ()]
    assert never.kind.comparable(answers)[0] == ()
    # What would be best is independent of what is chosen.
    assert {one.score(answers, questions)["best_f1"] for one in (always, never)} == {1}


def test_none_is_wrong_where_there_is_no_answer_too(with_null, letters):
    questions = (ASKED, IMPOSSIBLE)
    right = answered(with_null, letters, {(0, 9): 3}, {(0, 10): 3})[0]
    score = with_null.score([right, None], questions)
    assert (score["exact"], score["NoAns_exact"], score["HasAns_exact"]) == (0.5, 0, 1)
    assert with_null.kind.readable([right, None], questions)["2"] == ""
    assert with_null.kind.report("null_odds", [right, None]) == {"1": right.null_odds}
    assert list(with_null.kind.report("n_best", [right, None])) == ["1"]


def test_texts_are_questions_and_each_context_once(task):
    assert task.kind.texts((ASKED, IMPOSSIBLE)) == ["a b", "b", CONTEXT]


@pytest.mark.parametrize(("name", "entry", "reason"), [
    ("squad", {"answers": []}, "always gives one; take the task squad_v2"),
    ("squad_v2", {"answers": []}, "has no answer to be learned"),
    ("squad", {"answers": [], "is_impossible": True}, "always gives one; take the task squad_v2")])
def test_a_question_of_which_nothing_is_learned_is_refused_for_training(
        name, entry, reason, tmp_path):
    task = catalogue.of(name)
    paths = []
    for number, more in enumerate((
            {"answers": [{"text": "d", "answer_start": 2}]}, entry)):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps({"data": [{"paragraphs": [{"context": CONTEXT, "qas": [
            {"id": str(number), "question": "b", **more}]}]}]}))
    assert [question.id for question in task.read_train(paths[:1] * 2)] == ["0", "0"]
    with pytest.raises(InputError, match=rf"1\.json, question '1'.*{reason}"):
        task.read_train(paths)


@pytest.mark.parametrize("entry", [{"answers": []}, {"answers": [], "is_impossible": True}])
def test_a_question_without_answer_is_scored_only_where_none_can_be_right(
        entry, task, with_null, tmp_path):
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": CONTEXT, "qas": [
        {"id": "1", "question": "b", "answers": [{"text": "d", "answer_start": 2}]},
        {"id": "2", "question": "b", **entry}]}]}]}))
    with pytest.raises(InputError, match=r"dev\.json, question '2' has no answer, and a model for "
                                         "answerable questions always gives one; take the task "
                                         "squad_v2"):
        task.read(path)
    assert [question.id for question in with_null.read(path)] == ["1", "2"]


@pytest.mark.parametrize("context", ["", "\u200b\u200d"])
def test_contexts_without_tokens_have_no_answer(context, with_null, letters, scripted):
    questions = [dataclasses.replace(IMPOSSIBLE, id=name, context=context) for name in "ab"]
    features = with_null.kind.rows(questions, letters, 16)
    runner = scripted(letters, lambda inputs: dict.fromkeys(
        ("start_logits", "end_logits"), np.zeros(inputs["input_mask"].shape)), with_null.kind)
    run = running.run(with_null.kind, runner, questions, features)
    assert with_null.kind.readable(run.answers, questions) == {"a": "", "b": ""}
    scores = with_null.score(run.answers, questions)
    assert (scores["exact"], scores["best_f1"]) == (1, 1)
    assert {name: len(values) for name, values in run.outputs.items()} == {
        "start_logits": 0, "end_logits": 0}
    assert run.finite.shape == (0,)


def test_questions_without_answer_train_a_model_that_may_give_none(with_null, tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": CONTEXT, "qas": [
        {"id": "1", "question": "b", "answers": [], "is_impossible": True}]}]}]}))
    assert [question.is_impossible for question in with_null.read_train([path])] == [True]
