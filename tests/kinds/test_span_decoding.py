"""Answers are decoded as run_squad.py does it."""

import json
import math
import pathlib

import numpy as np
import pytest

from mobilebert_tf.data.datasets import squad
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.data.features.question_windows import Window, windows
from mobilebert_tf.kinds.span_decoding import answer, decode
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
DECODING = json.loads((GOLDEN / "squad" / "google_squad.json").read_text())["decoding"]
QUESTION = Question("q", "?", "ab cd ef gh")
TWO_BEST = QuestionSettings(n_best=2)


def window(tokens, *, is_max_context=None, shift=0):
    """[CLS] ? [SEP], words of two letters, [SEP]."""
    return Window(ids=(2, 9, 3, *range(10, 10 + tokens), 3), first_length=3,
                  offsets=tuple((3 * place, 3 * place + 2)
                                for place in range(shift, shift + tokens)),
                  words=tuple(range(shift, shift + tokens)),
                  is_max_context=is_max_context or (True,) * tokens, start=0, end=0)


@pytest.mark.parametrize(("context", "text", "end"), [
    ("ab cd\u0301\U00010a01 ef", "cd\u0301\U00010a01", 7), ("ab cd\u0301", "cd\u0301", 6),
    ("ab cd\u0903 ef", "cd", 5)])  # a mark with its own width is no accent
def test_accents_after_the_last_letter_are_kept_though_they_have_no_token(context, text, end):
    logits = [[0, 0, 0, 0, 4, 0]]
    best = decode(Question("q", "?", context), [window(2)], logits, logits).best
    assert (best.text, best.start, best.end) == (text, 3, end)


def test_a_decomposed_answer_is_whole(letters_with_accents):
    question = Question("q", "a", "a cafe\u0301 b")
    (one,) = windows(question, letters_with_accents)
    place = one.first_length + 1
    logits = [[9.0 * (token == place) for token in range(len(one.ids))]]
    assert decode(question, [one], logits, logits).best.text == "cafe\u0301"


@pytest.fixture
def letters_with_accents():
    return Tokenizer(Vocabulary(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "cafe"]))


def texts(prediction):
    return [span.text for span in prediction.n_best]


def golden_questions():
    return [question for question in squad.read(GOLDEN / "squad" / "questions.json")
            if question.id in DECODING["logits"]]


def decode_golden(question, with_null):
    tokenizer = Tokenizer(GOLDEN / "text" / "vocab.txt")
    # Padding, which must not count.
    start, end = zip(*([[*row, 99.0, 99.0] for row in rows]
                       for rows in DECODING["logits"][question.id]), strict=True)
    length, stride, max_question_length = map(
        DECODING["setting"].get, ("length", "stride", "max_question_length"))
    settings = QuestionSettings(
        stride=stride, max_question_length=max_question_length, n_best=DECODING["n_best"],
        max_answer_length=DECODING["max_answer_length"])
    return decode(question, windows(question, tokenizer, length=length, settings=settings), start,
                  end, settings=settings, with_null=with_null)


@pytest.mark.parametrize("question", golden_questions(), ids=lambda question: question.id)
def test_best_answers_and_null_odds_are_those_of_run_squad(question):
    prediction = decode_golden(question, with_null=True)
    assert prediction.null_odds == DECODING["with_null null_odds"][question.id]
    best = next(one for one in DECODING["with_null n_best"][question.id] if one["text"])
    assert (prediction.best.start_logit, prediction.best.end_logit) == (
        best["start_logit"], best["end_logit"])
    predicted = DECODING["with_null predictions"][question.id]
    assert (answer(prediction, 0.0) is None) == (predicted == "")


# In the other contexts run_squad.py often does not find a text again and takes whole words, so
# that other texts are equal.
@pytest.mark.parametrize("with_null", [False, True])
@pytest.mark.parametrize("question", golden_questions()[:8], ids=lambda question: question.id)
def test_the_n_best_are_those_of_run_squad(question, with_null):
    assert "ferry" in question.context
    expected = DECODING["with_null n_best" if with_null else "without_null n_best"][question.id]
    assert [{"text": span.text, "probability": span.probability, "start_logit": span.start_logit,
             "end_logit": span.end_logit}
            for span in decode_golden(question, with_null).n_best] == expected


def test_best_span_by_hand():
    #         [CLS]  ?   [SEP] ab   cd   ef  [SEP]
    start = [[0.5, 9.0, 9.0, 1.0, 3.0, 2.0, 9.0]]
    end = [[0.25, 9.0, 9.0, 4.0, 1.0, 2.0, 9.0]]
    prediction = decode(QUESTION, [window(3)], start, end)
    # In order: cd..ef 5, ab 5 (a tie: cd is the higher start), ef 4, cd 4, ab..ef 3, ab..cd 2.
    assert [(span.text, span.start_logit + span.end_logit) for span in prediction.n_best] == [
        ("cd ef", 5), ("ab", 5), ("cd", 4), ("ef", 4), ("ab cd ef", 3), ("ab cd", 2)]
    best = prediction.best
    assert (prediction.id, best.text, best.start, best.end) == ("q", "cd ef", 3, 8)
    total = sum(math.exp(score) for score in (5, 5, 4, 4, 3, 2))
    assert best.probability == pytest.approx(math.exp(5) / total, rel=1e-12)
    assert (prediction.null_score, prediction.null_odds) == (0.75, -4.25)


def test_a_span_is_not_longer_than_allowed():
    start, end = [[0, 0, 0, 5.0, 1, 1, 0]], [[0, 0, 0, 0, 1.0, 5, 0]]
    for length, text in ((3, "ab cd ef"), (2, "ab cd")):
        assert decode(QUESTION, [window(3)], start, end, settings=QuestionSettings(
            max_answer_length=length)).best.text == text


def test_a_span_starts_where_its_window_has_most_context_and_ends_anywhere():
    start, end = [[0, 0, 0, 5.0, 4, 1, 0]], [[0, 0, 0, 1.0, 1, 5, 0]]
    one = window(3, is_max_context=(False, True, False))
    assert texts(decode(QUESTION, [one], start, end)) == ["cd ef", "cd"]


def test_only_the_highest_of_all_tokens_are_candidates():
    # The two highest starts are [CLS] and cd, the two highest ends [SEP] and ef.
    start, end = [[9, 0, 0, 3.0, 4, 1, 0]], [[0, 0, 9.0, 1, 1, 5, 0]]
    for n_best, expected in ((2, ["cd ef"]), (1, [])):
        assert texts(decode(QUESTION, [window(3)], start, end, settings=QuestionSettings(
            n_best=n_best))) == expected


def test_windows_compete_and_a_text_counts_once():
    question = Question("q", "?", "ab cd ab gh")
    first, second = window(2), window(2, shift=2)
    starts = [[1, 0, 0, 2.0, 0, 0], [0.25, 0, 0, 3.0, 0, 0]]
    ends = [[3, 0, 0, 2.0, 0, 0], [2, 0, 0, 3.0, 0, 0]]
    prediction = decode(question, [first, second], starts, ends, with_null=True)
    # The second "ab", at 6, is the better one; null is in the window where it is least likely.
    assert [(span.text, span.start) for span in prediction.n_best] == [
        ("ab", 6), ("ab gh", 6), ("", 0), ("ab cd", 0), ("cd", 3), ("gh", 9)]
    null = prediction.n_best[2]
    assert (null.start_logit, null.end_logit, prediction.null_score) == (0.25, 2.0, 2.25)
    assert prediction.null_odds == -3.75
    assert sum(span.probability for span in prediction.n_best) == pytest.approx(1, abs=1e-12)


def test_no_answer_stands_behind_spans_of_its_score():
    start, end = [[2.0, 0, 0, 2, 0, 0]], [[0.0, 0, 0, 0, 1, 0]]
    prediction = decode(QUESTION, [window(2)], start, end, with_null=True)
    assert texts(prediction) == ["ab cd", "ab", "", "cd"]


def test_of_equal_logits_the_first_tokens_are_candidates():
    start, end = [[0, 0, 0, 5.0, 5, 5, 0]], [[0, 0, 0, 1.0, 1, 5, 0]]
    prediction = decode(QUESTION, [window(3)], start, end, settings=TWO_BEST)
    assert texts(prediction) == ["ab cd ef", "cd ef"]
    start, end = [[0, 0, 0, 5.0, 1, 1, 0]], [[0, 0, 0, 5.0, 5, 5, 0]]
    prediction = decode(QUESTION, [window(3)], start, end, settings=TWO_BEST)
    assert texts(prediction) == ["ab", "ab cd"]


@pytest.mark.parametrize(("null_logit", "expected"), [
    (0.0, ["ab cd", "cd", ""]),  # one more than the n best
    (5.0, ["ab cd", "cd", ""]),  # of the second's score, and behind it
    (5.25, ["ab cd", ""]),
])
def test_no_answer_is_always_there(null_logit, expected):
    start, end = [[0, 0, 0, 2.0, 1, 0]], [[null_logit, 0, 0, 2, 4, 0]]
    prediction = decode(QUESTION, [window(2)], start, end, settings=TWO_BEST,
                        with_null=True)
    assert texts(prediction) == expected


@pytest.mark.parametrize("count", [0, 1])
def test_where_no_span_is_possible_there_is_no_answer(count):
    rows = [[1.0, 0, 0, 0, 0]] * count
    one = window(1, is_max_context=(False,))
    prediction = decode(QUESTION, [one] * count, rows, rows, with_null=True)
    assert (prediction.best, texts(prediction)) == (None, [""])
    assert prediction.null_odds == 1e6
    assert prediction.null_score == (2.0 if count else 1e6)
    assert answer(prediction) is answer(prediction, 1e9) is None
    assert decode(QUESTION, [one] * count, rows, rows).n_best == ()


def test_the_threshold_is_the_most_that_still_is_an_answer():
    start, end = [[2.0, 0, 0, 1, 0]], [[1.0, 0, 0, 1.5, 0]]
    prediction = decode(QUESTION, [window(1)], start, end)
    assert prediction.null_odds == 0.5
    assert prediction.best.text == "ab"
    assert [answer(prediction), answer(prediction, 0.5), answer(prediction, 0.49)] == [
        prediction.best, prediction.best, None]


def test_text_is_cut_from_the_context_as_it_stands():
    tokenizer = Tokenizer(GOLDEN / "text" / "vocab.txt")
    question = Question("q", "?", "in  İs\u00a0\n\t(ZÜRICH)  12")
    (one,) = windows(question, tokenizer)
    places = [one.first_length + index for index, (start, _) in enumerate(one.offsets)
              if start in (4, 16)]
    start, end = (np.zeros((1, len(one.ids) + 3), np.float32) for _ in range(2))
    start[0, places[0]] = end[0, places[-1]] = 5
    assert decode(question, [one], start, end).best.text == "İs\u00a0\n\t(ZÜRICH)"


@pytest.mark.parametrize("rows", [[], [[0.0] * 4], [[0.0] * 5] * 2, [[[0.0]] * 5]])
def test_logits_of_other_windows_are_refused(rows):
    right = [[0.0] * 5]
    for start, end in ((rows, right), (right, rows)):
        with pytest.raises(ValueError, match=r"one for each|shorter|longer|shape"):
            decode(QUESTION, [window(1)], start, end)


@pytest.mark.parametrize(("arguments", "scores"), [
    # Tokens 0 and 1, of which 1 has more context in the other window, and 1 and 2.
    ({}, [1 + 10, 1 + 20, 4 + 30, 4 + 40, 5 + 40]),
    ({"settings": QuestionSettings(max_answer_length=1)}, [1 + 10, 4 + 30, 5 + 40]),
    ({"with_null": True}, [1 + 10, 1 + 20, 4 + 30, 4 + 40, 5 + 40, 8 + 33])])
def test_the_sum_is_over_all_spans_that_may_be_the_answer_by_hand(arguments, scores):
    two = [window(2, is_max_context=(True, False)), window(2, shift=1)]
    # Of [CLS], ?, [SEP], the tokens, [SEP] and padding.
    starts = [[9, 50, 60, 1, 2, 70, 99], [8, 50, 60, 4, 5, 70, 99]]
    ends = [[33, 50, 60, 10, 20, 70, 99], [33, 50, 60, 30, 40, 70, 99]]
    expected = math.log(sum(math.exp(score) for score in scores))
    prediction = decode(QUESTION, two, starts, ends, **arguments)
    assert prediction.log_total == pytest.approx(expected, rel=1e-12)
    best = prediction.best
    assert prediction.probability(best) == pytest.approx(
        math.exp(best.start_logit + best.end_logit - expected), rel=1e-9)
