"""Scores are those of SQuAD's official scorers, to the last digit."""

import json
import pathlib
import random

import pytest

from mobilebert_tf.data.datasets import squad
from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.squad import exact_match, f1, normalize, score_v1, score_v2

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "squad"
SCORES = json.loads((GOLDEN / "google_squad.json").read_text())["scores"]


def ask(identifier, *answers):
    return Question(identifier, "?", "", tuple(Answer(text, 0) for text in answers), not answers)


@pytest.fixture(scope="module")
def questions():
    return squad.read(GOLDEN / "questions.json")


@pytest.mark.parametrize("case", SCORES, ids=lambda case: case["name"])
def test_scores_are_the_official_ones(case, questions):
    for threshold, expected in case["v2"].items():
        assert score_v2(questions, case["predictions"], case["null_odds"],
                        threshold=float(threshold)) == expected
    answered = [question for question in questions if question.answers]
    without = {key: text for key, text in case["predictions"].items() if key != "builder"}
    assert score_v1(answered, without) == case["v1_without_builder"]


@pytest.mark.parametrize(("text", "normal"), [
    ("The  Aurora,\tof a harbour\u00a0!", "aurora of harbour"),
    ("another theory: an-a", "another theory ana"),
    ("a.n. a\u00adn", "\u00adn"),
    ("«ÉTÉ» 12.5% — İ", "«été» 125 — i̇"),
    ("The. A? ...", ""),
])
def test_normalizing(text, normal):
    assert normalize(text) == normal


@pytest.mark.parametrize(("answer", "gold", "exact", "overlap"), [
    ("the ferry", ["Ferry!"], 1, 1.0),
    ("one two", ["two three four"], 0, 0.4),  # 1 of 2 and 1 of 3
    ("two two one", ["two two two"], 0, 2 / 3),  # words count as often as they stand
    ("one two", ["five", "two", "one six"], 0, 2 / 3),  # the best of all
    ("one", ["five"], 0, 0.0),
    ("the", ["..."], 1, 1.0),
    ("", ["ferry"], 0, 0.0),
    ("ferry", ["the"], 0, 0.0),
])
def test_overlap_by_hand(answer, gold, exact, overlap):
    assert exact_match(answer, gold) == exact
    assert f1(answer, gold) == pytest.approx(overlap, abs=1e-12)


def test_v1_by_hand():
    questions = [ask("a", "ferry", "the ferry boat"), ask("b", "quay"), ask("c", "the"),
                 ask("d", "two lanterns"), ask("e", "the")]
    # b and e have no prediction, which is not the same as an empty one.
    # c: both are nothing once normalized, which v1.1 counts as the same and yet without overlap.
    predictions = {"a": "a ferry boat", "c": "", "d": "lanterns", "other": "x"}
    scores = score_v1(questions, predictions)
    assert scores == {"exact_match": 40.0, "f1": pytest.approx(100 * (1 + 2 / 3) / 5, rel=1e-15)}


def test_v2_by_hand():
    questions = [ask("a", "ferry"), ask("b", "two lanterns"), ask("c", "the"), ask("d"), ask("e")]
    predictions = {"a": "ferry", "b": "lanterns", "c": "", "d": "", "e": "quay"}
    third = 2 / 3
    expected = {
        "exact": 60.0, "f1": 100 * (3 + third) / 5, "total": 5,
        "HasAns_exact": 100 * 2 / 3, "HasAns_f1": 100 * (2 + third) / 3, "HasAns_total": 3,
        "NoAns_exact": 50.0, "NoAns_f1": 50.0, "NoAns_total": 2}
    assert score_v2(questions, predictions) == pytest.approx(expected, rel=1e-15)
    # Above 1.0, the default, b, c and e are not answered: c, whose answer is no words, is wrong.
    odds = {"a": 1.0, "b": 2.0, "c": 3.0, "d": -1.0, "e": 4.0, "other": -5.0}
    expected |= {"exact": 60.0, "f1": 60.0, "HasAns_exact": 100 / 3, "HasAns_f1": 100 / 3,
                 "NoAns_exact": 100.0, "NoAns_f1": 100.0}
    # From 2 right with no answer: d 2, a 3, b 3 or 3 2/3, c 4 or 4 2/3, e less by one.
    expected |= {"best_exact": 80.0, "best_exact_thresh": 3.0,
                 "best_f1": 100 * (4 + third) / 5, "best_f1_thresh": 3.0}
    assert score_v2(questions, predictions, odds) == pytest.approx(expected, rel=1e-15)


def test_answers_of_no_words_are_no_answer_only_where_all_are_such():
    scores = score_v2([ask("a", ".", "ferry"), ask("b", ".", "the")], {"a": "", "b": ""})
    assert (scores["exact"], scores["f1"], scores["HasAns_total"]) == (50.0, 50.0, 2)


def test_only_a_better_threshold_replaces_the_one_of_no_answers():
    questions = [ask("a", "ferry"), ask("b")]
    predictions = {"a": "ferry", "b": "quay"}
    scores = score_v2(questions, predictions, {"b": -3.0, "a": -2.0})
    assert (scores["best_exact"], scores["best_exact_thresh"]) == (50.0, 0.0)
    # Equal odds are taken one by one in their order, though no threshold can part them.
    scores = score_v2(questions, predictions, {"a": -2.0, "b": -2.0})
    assert (scores["best_exact"], scores["best_exact_thresh"]) == (100.0, -2.0)
    scores = score_v2(questions, predictions, {"b": -2.0, "a": -2.0})
    assert (scores["best_exact"], scores["best_exact_thresh"]) == (50.0, 0.0)


def test_a_kind_of_question_that_is_not_there_has_no_scores():
    assert set(score_v2([ask("a", "x")], {"a": "x"})) == {
        "exact", "f1", "total", "HasAns_exact", "HasAns_f1", "HasAns_total"}


def test_what_cannot_be_scored_is_named():
    questions = [ask("a", "x"), ask("b"), ask("c")]
    with pytest.raises(InputError, match=r"2 of 3 questions have no prediction, first 'b'"):
        score_v2(questions, {"a": "x"})
    with pytest.raises(InputError, match=r"1 of 3 questions have no null odds, first 'c'"):
        score_v2(questions, dict.fromkeys("abc", ""), {"a": 0.0, "b": 0.0})
    with pytest.raises(InputError, match=r"question 'b' has no answers.*use v2.0's"):
        score_v1(questions, {})
    for score in (score_v1, score_v2):
        with pytest.raises(InputError, match="no questions to score"):
            score([], {})


def test_gold_answers_of_a_real_set_are_right(shared_data):
    questions = squad.read(shared_data / "squad" / "squad_v2_half.json")
    generator = random.Random(1)
    # Some answers are ".", nothing once normalized, and wrong beside others that are not.
    gold = {question.id: generator.choice([one.text for one in question.answers
                                           if normalize(one.text)] or [""])
            for question in questions}
    scores = score_v2(questions, gold)
    assert (scores["exact"], scores["f1"], scores["total"]) == (100.0, 100.0, 6078)
    # 3,168 of 6,078 have no answer.
    nothing = score_v2(questions, dict.fromkeys(gold, ""))
    assert nothing["exact"] == nothing["f1"] == 100.0 * 3168 / 6078
