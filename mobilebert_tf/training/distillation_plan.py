"""DistillationPlan: the stages of auxiliary, joint and progressive knowledge transfer."""

import dataclasses
from typing import Literal

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.stage import Stage, compares_blocks

# google-research's weights: mean and variance apart, as in its README, divided by its 24 blocks.
PUBLISHED_TRANSFER = {"normalized_feature_map": 100 / 24, "feature_mean": 5000 / 24,
                      "feature_variance": 5 / 24, "attention": 1 / 24}
# L_PD with alpha = 0.5, google-research's distill_ground_truth_ratio.
PUBLISHED_DISTILLATION = {"masked_lm": 0.5, "masked_lm_distillation": 0.5, "next_sentence": 1.0}

Strategy = Literal["auxiliary", "joint", "progressive"]
Blocks = tuple[tuple[int, int], ...]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DistillationPlan:
    """What `distill` does: a strategy of knowledge transfer, its budgets, losses and rates.

    The defaults are google-research's, except for its steps and batch size, which need a cluster:
    240,000 steps of transfer and 500,000 of distillation in batches of 2,048.

    Args:
      strategy: `auxiliary` transfers and distils at once; `joint` transfers to all blocks, then
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
      transfer_end_rate: the learning rate at the last step of a transfer stage, as a fraction of
        the peak.
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
        if self.strategy not in STRATEGIES:
            raise InputError(f"unknown strategy {self.strategy!r}; known are "
                             f"{', '.join(STRATEGIES)}")

    def stages(self, components: tuple[str, ...], blocks: Blocks) -> tuple[Stage, ...]:
        """Return the stages of the strategy.

        Args:
          components: all components of the student.
          blocks: pairs of a student's and a teacher's block that are compared.
        Raises:
          InputError: for progressive transfer to blocks of the student that do not ascend.
        """
        return STRATEGIES[self.strategy](self, components, blocks)

    def _stage(self, name, steps, losses, rates, blocks, learning_rate, end_rate):
        return Stage(**{
            "name": name, "steps": steps, "losses": dict(losses),
            "rates": {name: rate for name, rate in rates.items() if rate},
            "blocks": blocks if compares_blocks(losses) else (), "learning_rate": learning_rate,
            "warmup_steps": int(steps * self.warmup_fraction), "end_rate": end_rate,
            "batch_size": self.batch_size, **self.options})

    def _transfer(self, name, steps, rates, blocks):
        return self._stage(name, steps, self.transfer_losses, rates, blocks, self.transfer_rate,
                           self.transfer_end_rate)

    def _distillation(self, components, blocks):
        return self._stage("distillation", self.distillation_steps, self.distillation_losses,
                           dict.fromkeys(components, 1.0), blocks, self.distillation_rate, 0.0)

    def _auxiliary(self, components, blocks):
        """One stage with all losses at once."""
        return (self._stage("auxiliary", self.transfer_steps + self.distillation_steps,
                            {**self.transfer_losses, **self.distillation_losses},
                            dict.fromkeys(components, 1.0), blocks, self.distillation_rate, 0.0),)

    def _joint(self, components, blocks):
        """All blocks at once, then distillation."""
        rates = {name: 1.0 for name in components if name.startswith("block_")}
        return (self._transfer("transfer", self.transfer_steps,
                               {"embedding": self.embedding_rate, **rates}, blocks),
                self._distillation(components, blocks))

    def _progressive(self, components, blocks):
        """A stage for each block from the first to the last, then distillation.

        Blocks that were already transferred learn on at `earlier_rate`.
        """
        student_blocks = [pair[0] for pair in blocks]
        if not blocks or student_blocks != sorted(set(student_blocks)):
            raise InputError("progressive transfer goes through the student's blocks from the "
                             f"first to the last. Received: {student_blocks}")
        stages = []
        for index, pair in enumerate(blocks):
            first = blocks[index - 1][0] + 1 if index else 0
            rates = {f"block_{block}": 1.0 if block >= first else self.earlier_rate
                     for block in range(pair[0] + 1)}
            # The embedding is transferred with the first block.
            rates["embedding"] = self.embedding_rate * (1.0 if index == 0 else self.earlier_rate)
            steps = (self.transfer_steps * (index + 1) // len(blocks)
                     - self.transfer_steps * index // len(blocks))
            stages.append(self._transfer(f"transfer_{pair[0]}", steps, rates, (pair,)))
        return (*stages, self._distillation(components, blocks))


STRATEGIES = {"auxiliary": DistillationPlan._auxiliary, "joint": DistillationPlan._joint,
              "progressive": DistillationPlan._progressive}
