"""RegressionTask: a number for a text, or a pair of texts."""

import dataclasses
import functools
import math
import operator
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts, number
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import written_answers
from mobilebert_tf.tasks.texts_task import TextsTask

_DECIMALS = 5


@dataclasses.dataclass(frozen=True, kw_only=True)
class RegressionTask(TextsTask):
    """The answer is a number, in the units of the data.

    Args:
      read_file: path -> `LabelledTexts` of numbers.
      others: as `TextsTask` takes them.
    """

    read_file: Callable[[Path], LabelledTexts]

    kind: ClassVar[str] = "regression"

    def read(self, path):
        examples = self.read_file(path)
        if len(set(examples.labels)) == 1:
            raise InputError(f"every label in {path} is {examples.labels[0]}, and a model is "
                             "scored by a correlation, which needs labels that differ; add rows "
                             "with others")
        return examples

    def read_train(self, paths):
        # Labels that are all the same can be learned, though nothing can be scored on them.
        return functools.reduce(operator.add, map(self.read_file, paths))

    def answers(self, outputs, examples, features):
        return [float(score) for score in outputs["score"][:, 0]]

    def score(self, answers, examples):
        # A number that is none: no correlation is left of what holds one.
        return self.metrics.scores([math.nan if answer is None else answer for answer in answers],
                                   examples.labels)

    def constant(self, examples):
        # Whatever the number, nothing correlates with it.
        return [0.0] * len(examples)

    def expected(self, examples):
        return list(examples.labels)

    def said(self, answers, examples):
        # The last bits of equal answers may differ.
        return [round(answer, _DECIMALS) for answer in answers if answer is not None]

    def readable(self, answers, examples):
        return list(answers)

    def written_answers(self, path, examples):
        written = (written_answers.read_table(path, examples) if written_answers.is_table(path)
                   else written_answers.read_list(path, float, "a number", examples))
        return written_answers.converted(path, written, number)

    def comparable(self, answers):
        return None
