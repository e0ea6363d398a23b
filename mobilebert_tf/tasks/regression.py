"""RegressionTask: a number for a text, or a pair of texts."""

import dataclasses
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
        return self.metrics.scores([0.0 if answer is None else answer for answer in answers],
                                   examples.labels)

    def readable(self, answers, examples):
        return list(answers)

    def comparable(self, answers):
        return None
