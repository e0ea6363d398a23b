"""Answers to questions in the files of run_squad.py and of SQuAD's official scorers."""

import os
from collections.abc import Sequence

from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import squad as scores
from mobilebert_tf.evaluation import written_answers
from mobilebert_tf.kinds.span import Span
from mobilebert_tf.kinds.span_prediction import SpanPrediction


def read(path: str | os.PathLike, odds_path: str | os.PathLike | None,
         examples: Sequence[Question], *, every_question: bool) -> list[SpanPrediction | None]:
    """Read answers by the question's id, and their null odds; None for a question without one.

    Args:
      path: a JSON file `{id: text}`; an empty text says that there is no answer.
      odds_path: a JSON file `{id: number}`, SQuAD's --na-prob-file; None for none.
      examples: the questions, in the order of what is returned.
      every_question: whether every question must have an answer in the file.
    Raises:
      InputError: for another layout, ids that are no question's, missing odds, and missing answers
        where every question needs one.
    """
    texts = _by_id(path, str, "texts by the question's id", examples)
    odds = {} if odds_path is None else _by_id(
        odds_path, float, "null odds by the question's id", examples)
    if every_question:
        scores.check_complete(examples, texts, "prediction")
    if odds_path is not None:
        scores.check_complete(examples, odds, "null odds")
    return [None if question.id not in texts else SpanPrediction(
        question.id, Span(texts[question.id]) if texts[question.id] else None,
        null_odds=odds.get(question.id)) for question in examples]


def n_best(answers: Sequence[SpanPrediction]) -> dict[str, list[dict]]:
    """Return `{id: [{text, probability, start_logit, end_logit}, ...]}`, the best span first."""
    return {answer.id: [{"text": span.text, "probability": span.probability,
                         "start_logit": span.start_logit, "end_logit": span.end_logit}
                        for span in answer.n_best] for answer in answers}


def null_odds(answers: Sequence[SpanPrediction]) -> dict[str, float | None]:
    """Return `{id: odds that the question has no answer}`, which v2.0's official scorer reads."""
    return {answer.id: answer.null_odds for answer in answers}


def _by_id(path, kind, layout, examples):
    found = written_answers.read_json(path, dict[str, kind], layout)
    unknown = sorted(found.keys() - {question.id for question in examples})
    if unknown:
        raise InputError(f"{path}: there is no question {unknown[0]!r}, one of {len(unknown):,} "
                         "unknown ids; give the answers to these questions alone")
    return found
