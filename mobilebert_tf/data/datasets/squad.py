"""SQuAD's official JSON files, v1.1 and v2.0, as questions with their contexts."""

import os

import msgspec

from mobilebert_tf import records
from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError


class _Answer(msgspec.Struct):
    text: str
    answer_start: int


class _Entry(msgspec.Struct):
    id: str
    question: str
    answers: list[_Answer]
    is_impossible: bool = False


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[_Entry]


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]


class _File(msgspec.Struct):
    """A file; what else it holds, such as titles, is not read."""

    data: list[_Article]


def read(path: str | os.PathLike) -> tuple[Question, ...]:
    """Read a file in the layout of v1.1 or v2.0; keep the file's order.

    Every answer must be at its answer_start, character for character. Google's run_squad.py is
    lenient: it extends a wrong place to the words around it, and skips a training question whose
    answer is not among them. But one wrong place mostly means that the whole file is wrong. An id
    may occur twice for the same question and context, as in AdversarialQA.

    Raises:
      InputError: with file and place, or the question's id, if the file is missing, too large (see
        `lines.whole`), not UTF-8, not JSON or has no question; a field is missing or of another
        type; a text holds half a surrogate pair; an answer is empty or not at its place; a question
        is marked impossible and has answers; or two questions have the same id.
    """
    questions = {}
    in_order = []
    for article_index, article in enumerate(_articles(path)):
        for index, paragraph in enumerate(article.paragraphs):
            for entry in paragraph.qas:
                question = _question(entry, paragraph.context, path)
                same = questions.setdefault(question.id, question)
                if (question.question, question.context) != (same.question, same.context):
                    raise InputError(
                        f"{path}, data[{article_index}].paragraphs[{index}]: the id "
                        f"{question.id!r} is another question's already; give each its own")
                in_order.append(question)
    if not in_order:
        raise InputError(f"{path} has no questions")
    return tuple(in_order)


def _articles(path):
    return records.decode(lines.whole(path).encode(), _File, path).data


def _question(entry, context, path):
    place = f"{path}, question {entry.id!r}"
    answers = tuple(_answer(answer, context, place) for answer in entry.answers)
    if entry.is_impossible and answers:
        raise InputError(f"{place} is marked impossible and has answers; remove one or the other")
    return Question(entry.id, entry.question, context, answers, entry.is_impossible)


def _answer(answer, context, place):
    text, start = answer.text, answer.answer_start
    if not text:
        raise InputError(f"{place} has an empty answer; give a question without an answer an empty "
                         "list")
    found = context[start:start + len(text)] if start >= 0 else ""
    if found != text:
        raise InputError(f"{place}: the answer {records.quoted(text)} is not at its answer_start "
                         f"{start}; the context has {records.quoted(found)} there; correct or "
                         "remove the answer")
    return Answer(text, start)
