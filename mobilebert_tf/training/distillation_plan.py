"""DistillationPlan: the stages of auxiliary, joint and progressive knowledge transfer."""

import dataclasses
from collections.abc import Sequence
from typing import Literal

from mobilebert_tf.checks import check_types
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.objectives import OBJECTIVES
from mobilebert_tf.training.recipes.layer_map import Pairs
from mobilebert_tf.training.recipes.layer_maps import same
from mobilebert_tf.training.recipes.stage_template import StageTemplate
from mobilebert_tf.training.stage import Stage, check_options

# google-research's weights: mean and variance apart, as in its README, divided by its 24 blocks.
PUBLISHED_TRANSFER = {"normalized_feature_map": 100 / 24, "feature_mean": 5000 / 24,
                      "feature_variance": 5 / 24, "attention": 1 / 24}
# L_PD with alpha = 0.5, google-research's distill_ground_truth_ratio.
PUBLISHED_DISTILLATION = {"masked_lm": 0.5, "masked_lm_distillation": 0.5, "next_sentence": 1.0}

Strategy = Literal["auxiliary", "joint", "progressive"]
# Of the numbers of its stages.
_CODE = "google-research's mobilebert/run_pretraining.py and README"
SOURCES = {
    "losses": f"{_CODE}: weights divided by the 24 blocks; distill_ground_truth_ratio 0.5",
    "learning_rate": f"{_CODE}: 1.5e-3, for transfer times 3",
    "steps": "ours; published are 240,000 of transfer and 500,000 of distillation",
    "batch_size": "ours; published is 2,048",
    "warmup_fraction": f"{_CODE}: a tenth of the transfer to a block; of the 500,000 updates of "
                       "distillation it is 10,000",
    "end_rate": _CODE, "embedding_rate": _CODE, "earlier_rate": _CODE,
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class DistillationPlan:
    """What `distill` does: a strategy of knowledge transfer, its budgets, losses and rates.

    The defaults are google-research's, except for its steps and batch size, which need a cluster:
    240,000 steps of transfer and 500,000 of distillation in batches of 2,048.

    Args:
      strategy: `auxiliary` transfers and distils at once, and trains the whole student at
        `distillation_rate`: the other rates have no effect. `joint` transfers to all blocks, then
        distils; `progressive` transfers block by block, then distils.
      transfer_steps: updates of feature map and attention transfer, over all blocks.
      distillation_steps: updates of pre-training distillation.
      batch_size: sequences per update, over all devices.
      transfer_losses, distillation_losses: name -> weight.
      transfer_rate, distillation_rate: peak learning rates. google-research multiplies its 1.5e-3
        by 3 for transfer.
      warmup_fraction: the part of each stage in which the learning rate rises.
      earlier_rate: factor of the learning rate for blocks that were already transferred, in
        progressive transfer; 0 freezes them.
      embedding_rate: factor for the embedding during transfer; 0 keeps the teacher's embedding.
      transfer_end_rate: the learning rate one step after a transfer stage's last, as a fraction
        of the peak.
      options: further fields of every `Stage`, by name.
    """

    strategy: Strategy = "progressive"
    transfer_steps: int = 10_000
    distillation_steps: int = 10_000
    batch_size: int = 64
    transfer_losses: dict[str, float] = dataclasses.field(
        default_factory=lambda: dict(PUBLISHED_TRANSFER))
    distillation_losses: dict[str, float] = dataclasses.field(
        default_factory=lambda: dict(PUBLISHED_DISTILLATION))
    transfer_rate: float = 4.5e-3
    distillation_rate: float = 1.5e-3
    warmup_fraction: float = 0.1
    earlier_rate: float = 0.1
    embedding_rate: float = 0.0
    transfer_end_rate: float = 0.9
    options: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        check_types(self)
        check_options(self.options)
        if self.strategy not in STRATEGIES:
            raise InputError(f"unknown strategy {self.strategy!r}; known are "
                             f"{', '.join(STRATEGIES)}")
        unknown = sorted(set(self.losses) - set(OBJECTIVES))
        if unknown:
            raise InputError(f"there is no loss {', '.join(unknown)}; known are "
                             f"{', '.join(OBJECTIVES)}")

    def stages(self, components: tuple[str, ...], blocks: Pairs) -> tuple[Stage, ...]:
        """Return the stages of the strategy.

        Args:
          components: all components of the student.
          blocks: pairs of a student's and a teacher's block that are compared.
        Raises:
          InputError: for progressive transfer to blocks of the student that do not ascend, or
            with fewer updates than blocks.
        """
        return tuple(
            stage for template in self.templates
            for stage in template.stages(components, blocks, template.steps))

    @property
    def losses(self) -> dict[str, float]:
        """The losses of all stages with their weights."""
        return {**self.transfer_losses, **self.distillation_losses}

    def start(self, student_blocks: int, teacher_blocks: int,
              blocks: Sequence[int] | None = None) -> tuple[bool, tuple[int, ...]]:
        """Return (True, blocks): a preset's student starts with the teacher's embedding and heads,
        and with these of its blocks.
        """
        return True, tuple(blocks or ())

    def stages_for(self, components: tuple[str, ...], student_blocks: int, teacher_blocks: int,
                   examples: int, blocks: Sequence[int] | None) -> tuple[Stage, ...]:
        """Return the stages; without `blocks`, each block is compared with that of its own index.
        """
        return self.stages(components, same(student_blocks, teacher_blocks, blocks))

    @property
    def templates(self) -> tuple[StageTemplate, ...]:
        """The stages before the student is known."""
        return STRATEGIES[self.strategy](self)

    def _template(self, name, steps, losses, **fields):
        return StageTemplate(**{
            "name": name, "reads": "corpus", "steps": steps, "losses": losses,
            "batch_size": self.batch_size, "warmup_fraction": self.warmup_fraction,
            "layer_map": same, "learning_rate": self.distillation_rate, "options": self.options,
            "sources": SOURCES, **fields})

    def _transfer(self, **fields):
        return self._template(
            "transfer", self.transfer_steps, self.transfer_losses,
            learning_rate=self.transfer_rate, end_rate=self.transfer_end_rate, blocks_alone=True,
            embedding_rate=self.embedding_rate, **fields)

    def _distillation(self):
        return self._template("distillation", self.distillation_steps, self.distillation_losses)

    def _auxiliary(self):
        """One stage with all losses at once."""
        return (self._template("auxiliary", self.transfer_steps + self.distillation_steps,
                               self.losses),)

    def _joint(self):
        """All blocks at once, then distillation."""
        return self._transfer(), self._distillation()

    def _progressive(self):
        """A stage for each block from the first to the last, then distillation."""
        return (self._transfer(block_by_block=True, earlier_rate=self.earlier_rate),
                self._distillation())


STRATEGIES = {"auxiliary": DistillationPlan._auxiliary, "joint": DistillationPlan._joint,
              "progressive": DistillationPlan._progressive}
