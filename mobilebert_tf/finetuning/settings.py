"""FineTuningSettings: how to fine-tune."""

import dataclasses
from collections.abc import Sequence
from typing import get_args

from mobilebert_tf.checks import MOST_SEED, check_length, check_types
from mobilebert_tf.errors import InputError
from mobilebert_tf.finetuning.start import Start
from mobilebert_tf.precision import Precision
from mobilebert_tf.tasks.task import Task

CLASS_WEIGHTS = ("none", "balanced")


@dataclasses.dataclass(frozen=True)
class FineTuningSettings:
    """How to fine-tune.

    The defaults suit a pre-trained BERT on two cores. MobileBERT wants larger learning rates and
    more epochs than BERT (Sun et al. 2020).

    Args:
      learning_rate: the peak; warm-up to it and decay to 0 are linear.
      batch_size: rows per batch.
      epochs: passes over the training data.
      length: the most tokens of a row; None for the task's default.
      warmup_fraction: fraction of all steps, below 1.
      weight_decay: AdamW's, for kernels and tables.
      ema_momentum: momentum of exponential moving averages of the weights, which are then scored
        and kept (see `Averages`). 0.999 averages about the last thousand steps, or the last ninth
        of a shorter run. 0 keeps the weights themselves.
      patience: stop after so many epochs without a better dev score; None for never.
      class_weights: for one class per text: `none`, or `balanced` to make all classes count the
        same in the loss (see `class_weights`).
      metric: the dev score that chooses the best epoch; None for the task's.
      precision: `mixed_bfloat16` computes in 16 bits and keeps the weights in 32. The
        dev scores are computed in it too.
      seed: for weights, dropout and order.
    Raises:
      InputError: for a value out of range.
    """

    learning_rate: float = 5e-5
    batch_size: int = 32
    epochs: int = 3
    length: int | None = None
    warmup_fraction: float = 0.1
    weight_decay: float = 0.01
    ema_momentum: float = 0.0
    patience: int | None = None
    class_weights: str = "none"
    metric: str | None = None
    precision: Precision = "float32"
    seed: int = 1

    def __post_init__(self):
        check_types(self)
        for name in ("batch_size", "epochs", "patience"):
            value = getattr(self, name)
            self._require(value is None or value >= 1, name, "at least 1")
        self._require(0 < self.learning_rate < float("inf"), "learning_rate", "above 0")
        check_length(self.length)
        self._require(0 <= self.warmup_fraction < 1, "warmup_fraction", "in [0, 1)")
        self._require(0 <= self.ema_momentum < 1, "ema_momentum", "in [0, 1)")
        self._require(0 <= self.weight_decay < float("inf"), "weight_decay", "0 or above")
        self._require(0 <= self.seed <= MOST_SEED, "seed", f"from 0 to {MOST_SEED}")
        self._require(self.precision in get_args(Precision), "precision",
                      f"one of {', '.join(get_args(Precision))}")
        self._require(self.class_weights in CLASS_WEIGHTS, "class_weights",
                      f"one of {', '.join(CLASS_WEIGHTS)}")

    def check(self, task: Task) -> None:
        """Raise InputError if the task cannot use the class weights, or has no such metric."""
        if self.class_weights != "none" and not task.kind.has_one_class:
            raise InputError("class weights are for one class per text, and the task "
                             f"{task.name} is {task.kind.name}; leave them at none")
        task.metric(self.metric)

    def begin(self, task: Task, start: Start, train: Sequence) -> tuple[Start, Sequence]:
        """Return the start and the examples that training uses, here both as they are.

        Raises:
          InputError: for a start or examples that it cannot use.
        """
        return start, train

    def setup(self, contents, train: Sequence, rows, length: int):
        """Return the `TrainingSetup` of a model; see `plain.setup`."""
        from mobilebert_tf.finetuning import plain

        return plain.setup(contents, train, rows, length, batch_size=self.batch_size,
                           balanced=self.class_weights == "balanced")

    def _require(self, condition, name, rule):
        if not condition:
            raise InputError(f"{name} should be {rule}, and is {getattr(self, name)}")
