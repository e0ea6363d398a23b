"""Windows are run_squad.py's, and their offsets lead back to the context."""

import json
import pathlib
import random
import re

import pytest

from mobilebert_tf.data.datasets import squad
from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.data.features.question_windows import windows
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
FEATURES = json.loads((GOLDEN / "squad" / "google_squad.json").read_text())["features"]
PIECES = ["the", "ferry", "japan", "##ese", "was", "built", "in", "1895", "(", ")", "-", "1943",
          ".", "i", "##s", "ο", "##δ", "##ς", "##σ", "who", "?"]
UNK, CLS, SEP = 1, 2, 3


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer(Vocabulary([*SPECIAL_PIECES, *PIECES]))


@pytest.fixture(scope="module")
def golden_tokenizer():
    return Tokenizer(GOLDEN / "text" / "vocab.txt")


def ask(context, answer=None, question="who ?", start=None):
    answers = ()
    if answer is not None:
        answers = (Answer(answer, context.index(answer) if start is None else start),)
    return Question("q", question, context, answers)


def of_golden(setting):
    """A setting of the golden file, as `windows` takes it."""
    others = dict(setting)
    length = others.pop("length")
    return {"length": length, "settings": QuestionSettings(**others)}


def texts(question, window):
    return [question.context[start:end] for start, end in window.offsets]


@pytest.mark.parametrize("case", FEATURES, ids=lambda case: str(case["setting"]["length"]))
def test_windows_are_those_of_run_squad(case, golden_tokenizer):
    questions = squad.read(GOLDEN / "squad" / "questions.json")
    assert set(case["windows"]) == {question.id for question in questions}
    for question in questions:
        found = windows(question, golden_tokenizer, **of_golden(case["setting"]))
        assert [{"ids": list(window.ids), "first_length": window.first_length,
                 "words": list(window.words),
                 "is_max_context": "".join("01"[flag] for flag in window.is_max_context),
                 "start": window.start, "end": window.end}
                for window in found] == case["windows"][question.id], question.id
        assert all(len(window.offsets) == len(window.words) for window in found)


def test_a_window_by_hand(tokenizer):
    question = ask("The  ferry\twas built\u202fin 1895.", "1895")
    (window,) = windows(question, tokenizer)
    p = {piece: 5 + index for index, piece in enumerate(PIECES)}
    assert window.ids == (CLS, p["who"], p["?"], SEP, p["the"], p["ferry"], p["was"], p["built"],
                          p["in"], p["1895"], p["."], SEP)
    assert window.first_length == 4
    assert window.offsets == ((0, 3), (5, 10), (11, 14), (15, 20), (21, 23), (24, 28), (28, 29))
    assert window.words == (0, 1, 2, 3, 4, 5, 5)
    assert window.is_max_context == (True,) * 7
    assert (window.start, window.end) == (9, 9)


@pytest.mark.parametrize(("context", "answer", "tokens"), [
    ("built (1895-1943).", "1895", ["1895"]),
    ("built (1895-1943).", "1895-1943)", ["1895", "-", "1943", ")"]),
    ("the Japanese ferry", "Japan", ["Japan"]),
    ("the Japanese ferry", "apan", ["Japan", "ese"]),
    ("the Japanese ferry", "anese ", ["Japan", "ese"]),
    ("in bthe the ferry", "the", ["bthe"]),
    ("in the\u200bs ferry", "\u200b", ["the", "s"]),
    ("the ferry. The ferry", "The ferry", ["The", "ferry"]),
    # Its own white space is run_squad.py's previous word, which its tokens then leave again.
    ("was built in 1895", " built", ["built"]),
    ("in 1895", "1895", ["1895"]),
    # White space to the tokenizer, though not to run_squad.py, which would leave this out.
    ("was built\u00a0in 1895", "built\u00a0in", ["built", "in"]),
    ("İs the ferry", "İs", ["İ", "s"]),
])
def test_the_answers_tokens(tokenizer, context, answer, tokens):
    question = ask(context, answer)
    (window,) = windows(question, tokenizer)
    first = window.first_length
    assert texts(question, window)[window.start - first:window.end + 1 - first] == tokens


def test_the_answer_is_where_it_was_marked(tokenizer):
    question = ask("the ferry was the ferry", "the ferry", start=14)
    (window,) = windows(question, tokenizer)
    assert (window.start, window.end) == (7, 8)


def test_of_equal_tokens_inside_a_word_the_first_are_the_answer(tokenizer):
    """As in run_squad.py, which knows of a mark inside a word only what its text is."""
    (window,) = windows(ask("in (1895-1895)", "1895", start=9), tokenizer)
    assert (window.start, window.end) == (6, 6)


def test_white_space_before_the_first_word_is_of_the_first_word(tokenizer):
    (window,) = windows(ask("  the ferry", "  the", start=0), tokenizer)
    assert (window.start, window.end) == (4, 4)


@pytest.mark.parametrize(("context", "answer"), [
    ("the \u200b ferry", "\u200b"), ("the ferry \u200b", "\u200b"), ("the ferry", None)])
def test_no_answer_is_at_cls(tokenizer, context, answer):
    (window,) = windows(ask(context, answer), tokenizer)
    assert (window.start, window.end) == (0, 0)


def test_an_impossible_question_has_no_answer_whatever_else_it_has(tokenizer):
    question = Question("q", "who?", "the ferry", (Answer("ferry", 4),), is_impossible=True)
    assert windows(question, tokenizer)[0].start == 0


@pytest.mark.parametrize("context", ["", " \n\t\u202f", "\u200b\u200d \ufeff", "\x00\x01\u00ad"])
def test_a_context_without_tokens_has_no_window(tokenizer, context):
    assert windows(ask(context), tokenizer) == []


def test_an_empty_question_leaves_its_place_empty(tokenizer):
    (window,) = windows(ask("the ferry", "ferry", question=" "), tokenizer)
    assert window.ids == (CLS, SEP, 5, 6, SEP)
    assert (window.first_length, window.start, window.end) == (2, 3, 3)


def test_a_long_question_loses_its_end(tokenizer):
    (window,) = windows(ask("the", question="who the ferry ?"), tokenizer,
                        settings=QuestionSettings(max_question_length=2))
    assert window.ids == (CLS, PIECES.index("who") + 5, 5, SEP, 5, SEP)


def test_a_word_of_ten_thousand_letters_is_one_token(tokenizer):
    question = ask("the " + "m" * 10_000 + " ferry", "ferry")
    (window,) = windows(question, tokenizer)
    assert window.ids[4:] == (5, UNK, 6, SEP)
    assert window.offsets == ((0, 3), (4, 10_004), (10_005, 10_010))


def test_parts_overlap_and_most_context_decides(tokenizer):
    # Tokens 0-9 in parts of 4, a step of 3: 0-3, 3-6, 6-9. Token 3 is the last of the first and
    # the first of the second, with nothing on one side in both: the first has it.
    question = ask("the ferry was built in the ferry was built in", "in", start=20)
    found = windows(question, tokenizer, length=9, settings=QuestionSettings(stride=3))
    assert [window.ids[4:-1] for window in found] == [
        (5, 6, 9, 10), (10, 11, 5, 6), (6, 9, 10, 11)]
    assert [window.is_max_context for window in found] == [
        (True, True, True, True), (False, True, True, True), (False, True, True, True)]
    assert [(window.start, window.end) for window in found] == [(0, 0), (5, 5), (0, 0)]
    assert [window.words[0] for window in found] == [0, 3, 6]


def test_between_like_places_the_longer_part_wins(tokenizer):
    # Parts 0-4, 3-5: token 4 is last of 5 tokens in one, second of 3 in the other, which shows
    # more; token 3 has 1 on its right in the first, 0 on its left in the second.
    found = windows(ask("the ferry was built in the"), tokenizer, length=10,
                    settings=QuestionSettings(stride=3))
    assert [window.is_max_context for window in found] == [
        (True, True, True, True, False), (False, True, True)]


def test_a_length_without_room_and_a_step_of_nothing_are_refused(tokenizer):
    assert len(windows(ask("the ferry"), tokenizer, length=6)) == 2
    message = ("a length of 5 leaves no room for the context of {}: .* take 5; "
               "use a length of at least 6")
    with pytest.raises(InputError, match=message.format("question 'q'")):
        windows(ask("the ferry"), tokenizer, length=5)
    with pytest.raises(InputError, match=message.format("the question")):
        windows(Question("", "who ?", "the ferry"), tokenizer, length=5)


def test_two_tokenizers_do_not_share_a_context(tokenizer, golden_tokenizer):
    question = ask("the ferry")
    first, second = (windows(question, one)[0].ids for one in (tokenizer, golden_tokenizer))
    assert first != second
    assert windows(question, tokenizer)[0].ids == first


@pytest.mark.parametrize("lower_case", [True, False])
def test_the_whole_context_gives_what_its_words_give(lower_case):
    """run_squad.py tokenizes word by word; nothing in a word looks past the white space."""
    tokenizer = Tokenizer(GOLDEN / "text" / "vocab.txt", lower_case)
    generator = random.Random(3)
    parts = ["Σ", "ΑΣ", "σ", "ας", "the", "İ", "ß", "ﬁ", "\u0301", "\u0323\u0301", "\u0300", "京",
             "한", "\u1100", "\u1161", "\u200b", "\u00ad", "\x01", "\u00a0", "\u2009", "\u3000",
             "\u2028", "\x0b", ".", "'", "·", "\u0345", "ʰ", "\ufffd", "\ue000", "👩\u200d👧",
             "\ud800", "x" * 201, " ", " ", "\t", "\r", "\n", "\u202f", "\u202f"]
    for _ in range(400):
        context = "".join(generator.choices(parts, k=generator.randrange(1, 14)))
        ids, places, words = [], [], []
        for number, word in enumerate(re.finditer("[^ \t\r\n\u202f]+", context)):
            word_ids, offsets = tokenizer.encode_with_offsets(word.group())
            ids += word_ids
            places += [(word.start() + start, word.start() + end) for start, end in offsets]
            words += [number] * len(word_ids)
        found = windows(ask(context), tokenizer, length=5000)
        assert [(list(window.ids[window.first_length:-1]), list(window.offsets),
                 list(window.words)) for window in found] == ([(ids, places, words)] if ids else [])


def test_real_answers_come_back_as_they_stand(shared_data):
    """The slice of the answer's tokens is the answer, but where it was marked inside a word."""
    tokenizer = Tokenizer(shared_data / "vocab" / "vocab.txt")
    questions = squad.read(shared_data / "squad" / "squad_v2_half.json")
    found = same = 0
    for question in questions:
        for window in windows(question, tokenizer):
            if window.start:
                first, last = (place - window.first_length for place in (window.start, window.end))
                text = question.context[window.offsets[first][0]:window.offsets[last][1]]
                assert question.answers[0].text.strip() in text
                same += text == question.answers[0].text
                found += 1
    assert len(questions) == 6078
    assert (found, same) == (2953, 2951)
