"""QuestionAnsweringTask: the span of a text that answers a question, or none."""

import dataclasses
from pathlib import Path
from typing import ClassVar

import numpy as np

from mobilebert_tf.data.datasets import squad
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.data.features.question_settings import DEFAULTS, QuestionSettings
from mobilebert_tf.data.features.question_windows import windows
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import answers as decoding
from mobilebert_tf.evaluation import squad as scores
from mobilebert_tf.evaluation import written_answers
from mobilebert_tf.tasks.task import Task

# No answer that anyone gave, and null odds below all thresholds: wrong where there is none too.
_WRONG, _SURE = "\0", -1e6


@dataclasses.dataclass(frozen=True, kw_only=True)
class QuestionAnsweringTask(Task):
    """The answer is a `Prediction`: the best spans with their scores, and the odds of none.

    Args:
      with_null: whether questions may have no answer, as in SQuAD v2.0.
      settings: of windows and answers. Where questions may have no answer and it names no null
        threshold, that is 0. The scores `best_exact` and `best_f1` are those of the thresholds
        that would be best.
      others: as `Task` takes them.
    """

    with_null: bool = False
    settings: QuestionSettings = DEFAULTS

    kind: ClassVar[str] = "question_answering"

    @property
    def metric(self):
        return "best_f1" if self.with_null else "f1"

    @property
    def metrics_to_choose_by(self):
        return (("best_f1", "best_exact", "f1", "exact") if self.with_null
                else ("f1", "exact_match"))

    def read(self, path):
        questions = squad.read(path)
        for question in questions:
            self._check_may_be_asked(question, path)
        return questions

    def read_train(self, paths):
        found = []
        for path in paths:
            questions = self.read(path)
            for question in questions:
                _check_is_answered(question, path)
            found += questions
        return tuple(found)

    def texts(self, examples):
        return [*(example.question for example in examples),
                *dict.fromkeys(example.context for example in examples)]

    def features(self, examples, tokenizer, length):
        origin = [[_compact(window) for window in windows(
            question, tokenizer, length=length, settings=self.settings)] for question in examples]
        rows = [window for found in origin for window in found]
        return Features(
            ids=[row.ids for row in rows], first_lengths=[row.first_length for row in rows],
            targets={"start_logits": [row.start for row in rows],
                     "end_logits": [row.end for row in rows]},
            rows=[len(found) for found in origin], origin=origin)

    def answers(self, outputs, examples, features):
        starts, ends = (features.by_example(outputs[name])
                        for name in ("start_logits", "end_logits"))
        return [decoding.decode(question, list(map(_with_numbers, found)), *logits,
                                settings=self.settings, with_null=self.with_null)
                for question, found, *logits in zip(examples, features.origin, starts, ends,
                                                    strict=True)]

    def score(self, answers, examples):
        texts = {question.id: _WRONG if answer is None else decoding.answer(answer)
                 for question, answer in zip(examples, answers, strict=True)}
        if not self.with_null:
            return _parts(scores.score_v1(examples, texts))
        odds = {question.id: _SURE if answer is None else answer.null_odds
                for question, answer in zip(examples, answers, strict=True)}
        if None in odds.values():
            return _parts(scores.score_v2(examples, texts))
        return _parts(scores.score_v2(examples, texts, odds, self._null_threshold))

    def constant(self, examples):
        return [decoding.Prediction(question.id, None, (), 0.0, 0.0) for question in examples]

    def expected(self, examples):
        return [question.answers[0].text if question.answers else "" for question in examples]

    def said(self, answers, examples):
        given = [(answer, question) for answer, question in zip(answers, examples, strict=True)
                 if answer is not None]
        return list(self.readable(*zip(*given, strict=True)).values()) if given else []

    def readable(self, answers, examples):
        """As the official scorers read them: the answer's text by the question's id."""
        threshold = self._null_threshold if self.with_null else None
        return {question.id: "" if answer is None else decoding.answer(answer, threshold)
                for question, answer in zip(examples, answers, strict=True)}

    def written_answers(self, path, examples):
        return self.with_written_odds(path, None, examples)

    def with_written_odds(self, path: Path, odds_path: Path | None, examples) -> list:
        """As `written_answers`, with null odds from another file: a number by the question's id."""
        texts = _written(path, str, "texts by the question's id", examples)
        odds = {} if odds_path is None else _written(
            odds_path, float, "null odds by the question's id", examples)
        if self.with_null:
            scores.check_complete(examples, texts, "prediction")
        if odds_path is not None:
            scores.check_complete(examples, odds, "null odds")
        return [None if question.id not in texts else decoding.Prediction(
            question.id, decoding.Span(texts[question.id]) if texts[question.id] else None,
            null_odds=odds.get(question.id)) for question in examples]

    def n_best(self, answers):
        """{id: [{text, probability, start_logit, end_logit}, ...]}, best first, as run_squad.py
        writes them; without questions that the model gave no numbers for."""
        return {answer.id: [{"text": span.text, "probability": span.probability,
                             "start_logit": span.start_logit, "end_logit": span.end_logit}
                            for span in answer.n_best]
                for answer in answers if answer is not None}

    def null_odds(self, answers):
        """{id: null odds}, in which v2.0's official scorer looks for the best threshold."""
        return {answer.id: answer.null_odds for answer in answers if answer is not None}

    def decided(self, scores):
        return {"question_answering": dataclasses.replace(
            self.settings,
            null_threshold=scores["best_f1_thresh"] if self.with_null else None)}

    def with_settings(self, settings):
        return dataclasses.replace(self, settings=settings or DEFAULTS)

    def comparable(self, answers):
        return [answer and answer.best and (answer.best.start, answer.best.end)
                for answer in answers]

    @property
    def _null_threshold(self):
        return 0.0 if self.settings.null_threshold is None else self.settings.null_threshold

    def _check_may_be_asked(self, question, path):
        """InputError where there is no right answer and the task has none for that."""
        if not question.answers and not self.with_null:
            raise InputError(f"{path}, question {question.id!r} has no answer, and a model for "
                             f"{self.name} always gives one; take the task squad_v2, or remove "
                             "the question")


def _check_is_answered(question, path):
    """InputError where nothing could be learned from a question, as in run_squad.py."""
    if not question.answers and not question.is_impossible:
        raise InputError(f"{path}, question {question.id!r} has no answer to be learned; add it, "
                         "mark the question with is_impossible, or remove it")


def _written(path, kind, layout, examples):
    """Values by the id of a question, of some of them."""
    found = written_answers.read_json(path, dict[str, kind], layout)
    unknown = sorted(found.keys() - {question.id for question in examples})
    if unknown:
        raise InputError(f"{path}: there is no question {unknown[0]!r}, one of {len(unknown):,} "
                         "unknown ids; give the answers to these questions alone")
    return found


def _compact(window):
    """A window with arrays for tuples, a tenth of their size: there may be 100,000 of them."""
    return dataclasses.replace(
        window, ids=np.array(window.ids, np.int32), offsets=np.array(window.offsets, np.int32),
        words=(), is_max_context=np.array(window.is_max_context))


def _with_numbers(window):
    """A compact window with Python's own numbers again, of which answers are made."""
    return dataclasses.replace(window, offsets=window.offsets.tolist())


def _parts(percents):
    """The scorers' percents as parts of 1, as all scores are here; counts and thresholds stay."""
    return {name: value if name.endswith(("total", "thresh")) else value / 100
            for name, value in percents.items()}
