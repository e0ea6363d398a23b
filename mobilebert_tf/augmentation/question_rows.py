"""QuestionRows: new contexts for questions."""

import dataclasses
from collections.abc import Iterable, Sequence

from mobilebert_tf.augmentation import question_format
from mobilebert_tf.augmentation.augmentor import Augmentor
from mobilebert_tf.data.datasets.answer import Answer
from mobilebert_tf.data.datasets.question import Question


class QuestionRows:
    """Questions, in whose contexts the words outside the answers may be replaced.

    The question, its answers and all other characters of the context stay as they are; the starts
    of the answers are moved. Deepset's Haystack augments SQuAD in the same way
    (deepset-ai/haystack, pull request 1923).

    Args:
      examples: the questions.
    """

    file_format = staticmethod(question_format.of)

    def __init__(self, examples: Sequence[Question]):
        self._examples = examples
        self._ids = {question.id for question in examples}

    def __len__(self) -> int:
        return len(self._examples)

    def described(self, number: int) -> dict:
        """Return a question as JSON values, which identify it."""
        return dataclasses.asdict(self._examples[number])

    def drafts(self, number: int, augmentor: Augmentor) -> list[tuple[str, list[int]]]:
        """Return the context and the starts of the answers of each new question."""
        question = self._examples[number]
        spans = [(answer.start, answer.start + len(answer.text)) for answer in question.answers]

        def is_outside(start, end):
            return all(end <= first or last <= start for first, last in spans)

        return [(_changed(question.context, changes),
                 [start + sum(len(change.word) - (change.end - change.start)
                              for change in changes if change.end <= start)
                  for start, _ in spans])
                for changes in augmentor.changes(question.context, number, is_outside)]

    def augmented(self, number: int,
                  drafts: Sequence[tuple[str, Sequence[int]]]) -> list[Question]:
        """Return a question, then its new ones, each with an id of its own."""
        question = self._examples[number]
        return [question, *(dataclasses.replace(
            question, id=self._new_id(question.id, number, draw), context=context,
            answers=tuple(Answer(answer.text, start)
                          for answer, start in zip(question.answers, starts, strict=True)))
            for draw, (context, starts) in enumerate(drafts, 1))]

    def collected(self, rows: Iterable[Question]) -> tuple[Question, ...]:
        """Return the questions as `squad.read` does."""
        return tuple(rows)

    def _new_id(self, identifier, number, draw):
        """An id that no question of the file has, also if the file was augmented before."""
        found = f"{identifier}-augmented-{number}-{draw}"
        while found in self._ids:
            found += "+"
        return found


def _changed(text, changes):
    parts, done = [], 0
    for change in changes:
        parts += [text[done:change.start], change.word]
        done = change.end
    return "".join([*parts, text[done:]])
