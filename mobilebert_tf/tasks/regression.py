"""RegressionTask: a number for a text, or a pair of texts."""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from mobilebert_tf.data.labelled_texts import LabelledTexts
from mobilebert_tf.tasks.texts_task import TextsTask


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
        return self.read_file(path)

    def answers(self, outputs, examples, features):
        return [float(score) for score in outputs["score"][:, 0]]

    def score(self, answers, examples):
        # A number that is none: no correlation is left of what holds one.
        return self.metrics.scores([math.nan if answer is None else answer for answer in answers],
                                   examples.labels)

    def readable(self, answers, examples):
        return list(answers)

    def comparable(self, answers):
        return None
