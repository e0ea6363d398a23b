"""FewShotSettings: how to fine-tune with few rows a class."""

import dataclasses
from collections.abc import Sequence

from mobilebert_tf.errors import InputError
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.finetuning.start import Start
from mobilebert_tf.tasks.task import Task


@dataclasses.dataclass(frozen=True)
class FewShotSettings(FineTuningSettings):
    """How to fine-tune with few rows a class: contrastive pairs, then a logistic regression.

    Source: Tunstall et al. 2022 (arXiv:2209.11055), with the rate, the batch size and the epochs
    of SetFit.

    Args:
      rows: of each class, drawn from the training file with the seed; a class with fewer gives all.
      iterations: in each, every row gets a pair within its class and a pair across classes.
      batch_size: pairs per batch.
    Raises:
      InputError: for a value out of range.
    """

    learning_rate: float = 2e-5
    batch_size: int = 16
    epochs: int = 1
    rows: int = 8
    iterations: int = 20

    def __post_init__(self):
        super().__post_init__()
        # A pair of one class needs two rows.
        self._require(self.rows >= 2, "rows", "at least 2")
        self._require(self.iterations >= 1, "iterations", "at least 1")

    def check(self, task: Task) -> None:
        """Raise InputError unless the task has one class per text, for single texts."""
        super().check(task)
        if not task.kind.has_one_class:
            raise InputError(f"few rows a class are for classification, and the task {task.name} "
                             f"is {task.kind.name}; leave out --few-shot")
        if self.class_weights != "none":
            raise InputError("few-shot fine-tuning draws as many rows of each class; leave class "
                             "weights at none")

    def begin(self, task: Task, start: Start, train: Sequence) -> tuple[Start, Sequence]:
        """Return the start with the mean as pooler, and the few rows; see `few_shot.begin`."""
        from mobilebert_tf.finetuning import few_shot

        return few_shot.begin(task, start, train, rows=self.rows, seed=self.seed)

    def setup(self, contents, train: Sequence, rows, length: int):
        """Return the `TrainingSetup` of a classifier; see `few_shot.setup`."""
        from mobilebert_tf.finetuning import few_shot

        return few_shot.setup(contents, train, rows, length, iterations=self.iterations,
                              batch_size=self.batch_size)
