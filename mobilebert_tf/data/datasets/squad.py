"""SQuAD's official JSON files, v1.1 and v2.0, as questions on their contexts."""

import dataclasses
import json
import os

from mobilebert_tf import records
from mobilebert_tf.data import lines
from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class Answer:
    """A slice of a context: its text, and the character of the context that it starts at."""

    text: str
    start: int


@dataclasses.dataclass(frozen=True)
class Question:
    """A question on a text, with the answers that people gave.

    `answers` is empty for a question that the context does not answer, and then `is_impossible`
    is True; and for one whose answers nobody has given.
    """

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...] = ()
    is_impossible: bool = False


def read(path: str | os.PathLike) -> tuple[Question, ...]:
    """Reads a file of v1.1 or v2.0, or of another set in that layout, in the file's order.

    Every answer must stand where the file says, character for character. Google's run_squad.py
    is lenient: it moves a wrong place to the words around it, and leaves a training question out
    where its answer is not among them. A wrong place mostly means a file that is wrong throughout.
    The same id may stand twice for the same question on the same context, as in AdversarialQA.

    Raises:
      InputError: for a file that is missing, not UTF-8, not JSON or without a question, a key that
        is missing or of another type, half a surrogate pair, an answer that is empty or not at its
        place, a question that is marked impossible and has answers, or an id of two questions;
        all with file and place, and the question's id where there is one.
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
                                     f"already; give each its own")
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
        raise InputError(f"{place} has an empty answer; a question without one has an empty list")
    found = context[start:start + len(text)] if start >= 0 else ""
    if found != text:
        raise InputError(f"{place}: the answer {text!r} does not stand at its answer_start "
                         f"{start}, where its context has {found!r}; correct or remove it")
    return Answer(text, start)


_NAMES = {dict: "an object", list: "a list", str: "a string", int: "a whole number",
          bool: "true or false"}


def _get(entry, key, kind, place):
    """The value of a key, of this very type: to JSON, true is no number."""
    if type(entry) is not dict or key not in entry:
        raise InputError(f"{place}: there is no {key!r}; it should be {_NAMES[kind]}, as in "
                         f"SQuAD's files")
    if type(entry[key]) is not kind:
        raise InputError(f"{place}: {key!r} should be {_NAMES[kind]}, and is "
                         f"{_NAMES.get(type(entry[key]), repr(entry[key]))}")
    if kind is str:
        records.check_characters(place, key, entry[key])
    return entry[key]


def _load(path):
    try:
        return json.loads("".join(line for _, line in lines.read(path)))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno} is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # numbers of 5,000 digits; lists in lists
        raise InputError(f"{path} is not JSON of questions: {error}") from error
