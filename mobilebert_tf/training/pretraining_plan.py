"""PretrainingPlan: masked LM and next sentence, without a teacher."""

import dataclasses

from mobilebert_tf.checks import check_types
from mobilebert_tf.training.stage import Optimizer, Stage, check_options


@dataclasses.dataclass(frozen=True, kw_only=True)
class PretrainingPlan:
    """What `pretrain` does: one stage of masked LM and next sentence with dropout.

    Args:
      steps: updates; the first tenth is the warm-up.
      batch_size: sequences per update, over all devices.
      learning_rate: the peak.
      optimizer: `lamb` or `adamw`.
      whole_word: mask all pieces of a word together.
      next_sentence: train the next-sentence head too, if the model has one.
      options: further fields of `Stage`, by name. They replace the plan's; a `warmup_fraction`
        replaces its warm-up.
    """

    steps: int = 10_000
    batch_size: int = 64
    learning_rate: float = 1.5e-3
    optimizer: Optimizer = Stage.optimizer
    whole_word: bool = Stage.whole_word
    next_sentence: bool = True
    options: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        check_types(self)
        check_options(self.options)

    @property
    def losses(self) -> dict[str, float]:
        """The losses with their weights."""
        return {"masked_lm": 1.0, **({"next_sentence": 1.0} if self.next_sentence else {})}

    def stages(self, components: tuple[str, ...]) -> tuple[Stage, ...]:
        """Return the stages for a model with these components."""
        next_sentence = self.next_sentence and "nsp" in components
        losses = {name: weight for name, weight in self.losses.items()
                  if next_sentence or name != "next_sentence"}
        rates = {name: 1.0 for name in components if next_sentence or name != "nsp"}
        warmup = {} if "warmup_fraction" in self.options else {"warmup_steps": self.steps // 10}
        return (Stage(**{
            "name": "pretraining", "steps": self.steps, "losses": losses, "rates": rates,
            "learning_rate": self.learning_rate, "batch_size": self.batch_size,
            **warmup, "optimizer": self.optimizer, "whole_word": self.whole_word,
            "dropout": True, **self.options}),)
