"""Question: a question on a text."""

import dataclasses

from mobilebert_tf.data.datasets.answer import Answer


@dataclasses.dataclass(frozen=True)
class Question:
    """A question on a text, with the answers that people gave.

    Args:
      id: the question's id.
      question: its text.
      context: the text that answers it.
      answers: the answers; empty if `is_impossible`, or if no answer is known.
      is_impossible: whether the context does not answer the question.
    """

    id: str
    question: str
    context: str
    answers: tuple[Answer, ...] = ()
    is_impossible: bool = False
