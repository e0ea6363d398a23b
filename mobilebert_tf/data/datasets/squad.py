"""SQuAD's official JSON files, v1.1 and v2.0, as questions with their contexts."""

import json
import os

from mobilebert_tf import records
from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError


def read(path: str | os.PathLike) -> tuple[Question, ...]:
    """Read a file in the layout of v1.1 or v2.0; keep the file's order.

    Every answer must be at its answer_start, character for character. Google's run_squad.py is
    lenient: it extends a wrong place to the words around it, and skips a training question whose
    answer is not among them. But one wrong place mostly means that the whole file is wrong. An id
    may occur twice for the same question and context, as in AdversarialQA.

    Raises:
      InputError: with file and place, and the question's id if there is one, if the file is
        missing, too large (see `lines.whole`), not UTF-8, not JSON or has no question; a key is
        missing or of another type; a text holds half a surrogate pair; an answer is empty or not
        at its place; a question is marked impossible and has answers; or two questions have the
        same id.
    """
    questions = {}
    in_order = []
    for article_number, article in enumerate(_get(_load(path), "data", list, path), 1):
        place = f"{path}, article {article_number}"
        for number, paragraph in enumerate(_get(article, "paragraphs", list, place), 1):
            place = f"{path}, article {article_number}, paragraph {number}"
            context = _get(paragraph, "context", str, place)
            for entry in _get(paragraph, "qas", list, place):
                question = _question(entry, context, path, place)
                same = questions.setdefault(question.id, question)
                if (question.question, context) != (same.question, same.context):
                    raise InputError(f"{place}: the id {question.id!r} is another question's "
                                     "already; give each its own")
                in_order.append(question)
    if not in_order:
        raise InputError(f"{path} has no questions")
    return tuple(in_order)


def _question(entry, context, path, place):
    identifier = _get(entry, "id", str, f"{place}, a question")
    place = f"{path}, question {identifier!r}"
    answers = tuple(_answer(answer, context, place)
                    for answer in _get(entry, "answers", list, place))
    is_impossible = "is_impossible" in entry and _get(entry, "is_impossible", bool, place)
    if is_impossible and answers:
        raise InputError(f"{place} is marked impossible and has answers; remove one or the other")
    return Question(identifier, _get(entry, "question", str, place), context, answers,
                    is_impossible)


def _answer(entry, context, place):
    text = _get(entry, "text", str, place)
    start = _get(entry, "answer_start", int, place)
    if not text:
        raise InputError(f"{place} has an empty answer; give a question without an answer an empty "
                         "list")
    found = context[start:start + len(text)] if start >= 0 else ""
    if found != text:
        raise InputError(f"{place}: the answer {records.quoted(text)} is not at its answer_start "
                         f"{start}; the context has {records.quoted(found)} there; correct or "
                         "remove the answer")
    return Answer(text, start)


_NAMES = {dict: "an object", list: "a list", str: "a string", int: "a whole number",
          bool: "true or false"}


def _get(entry, key, kind, place):
    """Return the value of a key; its type must be exactly `kind`, so true is no number."""
    if type(entry) is not dict or key not in entry:
        raise InputError(f"{place}: there is no {key!r}; it should be {_NAMES[kind]}, as in "
                         "SQuAD's files")
    if type(entry[key]) is not kind:
        raise InputError(f"{place}: {key!r} should be {_NAMES[kind]}, and is "
                         f"{_NAMES.get(type(entry[key]), repr(entry[key]))}")
    if kind is str:
        records.check_characters(place, key, entry[key])
    return entry[key]


def _load(path):
    try:
        return json.loads(lines.whole(path))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno} is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # numbers of 5,000 digits; lists in lists
        raise InputError(f"{path} is not JSON of questions: {error}") from error
