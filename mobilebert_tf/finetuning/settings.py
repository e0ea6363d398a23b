"""Settings: how to fine-tune."""

import dataclasses

from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks.task import Task

CLASS_WEIGHTS = ("none", "balanced")


@dataclasses.dataclass(frozen=True)
class FineTuningSettings:
    """How to fine-tune.

    The defaults suit a pre-trained BERT on two cores. MobileBERT wants larger learning rates and
    more epochs than BERT (Sun et al. 2020).

    Args:
      learning_rate: at the peak, after warm-up and before the fall to 0; both linear.
      batch_size: rows a batch.
      epochs: passes over the training data.
      length: the most tokens of a row; None for the task's own.
      warmup_fraction: part of all steps, below 1.
      weight_decay: of kernels and tables; AdamW's.
      ema_momentum: above 0, what is scored and kept are exponential moving averages of the weights,
        of this momentum (see `Averages`): 0.999 averages about the last thousand steps, and in
        shorter trainings about the last ninth of them. 0 keeps the weights.
      patience: epochs without a better dev score after which training ends; None for never.
      class_weights: of classification, what an example's class weighs in the loss: none for all
        the same, balanced for what makes all classes count the same (see `class_weights`).
      metric: the name of the dev score that the best epoch has the best of; None for the task's.
      seed: of weights, dropout and order.
    Raises:
      InputError: for a value that means nothing.
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
    seed: int = 1

    def __post_init__(self):
        for name in ("batch_size", "epochs", "patience"):
            value = getattr(self, name)
            self._require(value is None or value >= 1, name, "at least 1")
        self._require(0 < self.learning_rate < float("inf"), "learning_rate", "above 0")
        self._require(self.length is None or self.length >= 4, "length", "at least 4")
        self._require(0 <= self.warmup_fraction < 1, "warmup_fraction", "in [0, 1)")
        self._require(0 <= self.ema_momentum < 1, "ema_momentum", "in [0, 1)")
        self._require(0 <= self.weight_decay < float("inf"), "weight_decay", "0 or above")
        self._require(0 <= self.seed < 2**32, "seed", "from 0 to 4294967295")
        self._require(self.class_weights in CLASS_WEIGHTS, "class_weights",
                      f"one of {', '.join(CLASS_WEIGHTS)}")

    def check(self, task: Task) -> None:
        """InputError for what the task has none of: class weights, or the metric."""
        if self.class_weights != "none" and not task.kind.has_one_class:
            raise InputError("class weights are for one class per text, and the task "
                             f"{task.name} is {task.kind.name}; leave them at none")
        if self.metric not in (None, *task.metrics.names):
            raise InputError(f"the task {task.name} has no metric {self.metric!r}; known are "
                             f"{', '.join(task.metrics.names)}")

    def _require(self, condition, name, rule):
        if not condition:
            raise InputError(f"{name} should be {rule}, and is {getattr(self, name)}")
