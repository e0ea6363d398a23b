"""ClassificationTask: one of several classes for a text, or a pair of texts."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from mobilebert_tf.data.labelled_texts import LabelledTexts
from mobilebert_tf.tasks.texts_task import TextsTask


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClassificationTask(TextsTask):
    """The answer is a class id.

    Args:
      read_file: (path, names of the classes) -> `LabelledTexts` of class ids.
      find_labels: training files -> names of the classes; None where the task fixes them.
      others: as `TextsTask` takes them.
    """

    read_file: Callable[[Path, tuple[str, ...]], LabelledTexts]
    find_labels: Callable | None = None

    kind: ClassVar[str] = "classification"
    has_labels: ClassVar[bool] = True

    def found_in(self, paths):
        return self if self.labels is not None else self.with_labels(self.find_labels(paths))

    def read(self, path):
        return self.read_file(path, self.labels)

    def answers(self, outputs, examples, features):
        return outputs["probabilities"].argmax(axis=-1).tolist()

    def score(self, answers, examples):
        return self.metrics.scores([-1 if answer is None else answer for answer in answers],
                                   examples.labels)

    def constant(self, examples):
        def score(label):
            return self.score([label] * len(examples), examples)[self.metric]

        return [max(sorted(set(examples.labels)), key=score)] * len(examples)

    def expected(self, examples):
        return list(examples.labels)

    def said(self, answers, examples):
        return [answer for answer in answers if answer is not None]

    def readable(self, answers, examples):
        return [None if answer is None else self.labels[answer] for answer in answers]
