"""TaskPlan: one stage of soft labels, the way a task is distilled unless stages are given."""

import dataclasses
from collections.abc import Sequence

from mobilebert_tf.checks import check_types
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.stage import Optimizer, Stage, check_options


@dataclasses.dataclass(frozen=True, kw_only=True)
class TaskPlan:
    """What `distill_task` does: a stage that learns the teacher's answers, with dropout.

    There is no loss on labels by default: TinyBERT's and PD's authors found no gain from one beside
    soft labels (Jiao et al. 2020; Turc et al. 2019, arXiv:1908.08962).

    Args:
      epochs: passes over the rows.
      batch_size: rows per update, over all devices.
      learning_rate: the peak.
      label_weight: weight of the labels beside the soft labels, which have a weight of 1.
      temperature: divides the logits of student and teacher.
      warmup_fraction: the part of the updates in which the learning rate rises.
      ema_momentum: of moving averages of the weights, which are then scored and kept; 0 for none.
      optimizer: `adamw` or `lamb`.
      options: further fields of `Stage`, by name.
    """

    epochs: int = 3
    batch_size: int = 32
    learning_rate: float = 5e-5
    label_weight: float = 0.0
    temperature: float = 1.0
    warmup_fraction: float = 0.1
    ema_momentum: float = 0.0
    optimizer: Optimizer = "adamw"
    options: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        check_types(self)
        check_options(self.options)

    def stages(self, components: tuple[str, ...]) -> tuple[Stage, ...]:
        """Return the stage for a student with these components."""
        labels = {"label": self.label_weight} if self.label_weight else {}
        return (Stage(**{
            "name": "task", "epochs": self.epochs, "losses": {"soft_label": 1.0, **labels},
            "rates": dict.fromkeys(components, 1.0), "learning_rate": self.learning_rate,
            "batch_size": self.batch_size, "warmup_fraction": self.warmup_fraction,
            "optimizer": self.optimizer, "temperature": self.temperature, "dropout": True,
            "ema_momentum": self.ema_momentum, **self.options}),)

    def start(self, student_blocks: int, teacher_blocks: int,
              blocks: Sequence[int] | None = None) -> tuple[bool, tuple[int, ...]]:
        """Return (True, blocks): a preset's student starts with the teacher's embedding, and with
        these of its blocks.
        """
        return True, tuple(blocks or ())

    def stages_for(self, components: tuple[str, ...], student_blocks: int, teacher_blocks: int,
                   examples: int, blocks: Sequence[int] | None) -> tuple[Stage, ...]:
        """Return the stages, as `RecipePlan.stages_for` does.

        Raises:
          InputError: for `blocks`, since none are compared.
        """
        if blocks is not None:
            raise InputError("soft labels and labels compare no blocks: leave out blocks, or name "
                             "a recipe that compares them")
        return self.stages(components)
