"""ClassificationTask: one of several classes for a text, or a pair of texts."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts, class_of
from mobilebert_tf.evaluation import confusion, written_answers
from mobilebert_tf.evaluation.classification import score_by_class
from mobilebert_tf.tasks.texts_task import TextsTask


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClassificationTask(TextsTask):
    """The answer is a class id.

    Args:
      read_file: (path, names of the classes) -> `LabelledTexts` of class ids.
      find_labels: training files -> names of the classes; None where the task fixes them.
      values: what stands for each class in a submission; None where that is its name.
      others: as `TextsTask` takes them.
    """

    read_file: Callable[[Path, tuple[str, ...]], LabelledTexts]
    find_labels: Callable | None = None
    values: tuple[str, ...] | None = None

    kind: ClassVar[str] = "classification"
    has_labels: ClassVar[bool] = True

    def found_in(self, paths):
        return self if self.labels is not None else self.with_labels(self.find_labels(paths))

    def found_for_scoring(self, paths):
        return self.found_in(paths)

    def read(self, path):
        return self.read_file(path, self.labels)

    def answers(self, outputs, examples, features):
        return outputs["probabilities"].argmax(axis=-1).tolist()

    def score(self, answers, examples):
        return self.metrics.scores(_ids(answers), examples.labels)

    def score_parts(self, answers, examples):
        return score_by_class(_ids(answers), examples.labels, self.labels)

    def confusion(self, answers, examples):
        return confusion.of(_ids(answers), examples.labels, self.labels)

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

    def written_answers(self, path, examples):
        if written_answers.is_table(path):
            return written_answers.converted(
                path, written_answers.read_table(path, examples),
                class_of(self.labels if self.values is None else self.values))
        return written_answers.converted(
            path, written_answers.read_list(path, str, "a label", examples),
            class_of(self.labels))


def _ids(answers):
    return [-1 if answer is None else answer for answer in answers]
