"""StageTemplate: a stage before it is known for which models, and for how many updates."""

import dataclasses
from typing import Literal

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.objectives import OBJECTIVES
from mobilebert_tf.training.recipes.layer_map import LayerMap, Pairs
from mobilebert_tf.training.stage import Optimizer, Stage, compares_blocks


@dataclasses.dataclass(frozen=True, kw_only=True)
class StageTemplate:
    """What a recipe says about one of its stages. The fields that `Stage` has too mean the same.

    Args:
      name: of the stage; the first part of it for `block_by_block`.
      reads: `corpus` or `task`.
      augmented: whether the rows of the task are augmented as TinyBERT does.
      layer_map: which blocks are compared; None for none.
      epochs: passes over what it reads; None if `steps` says how long it takes.
      steps: updates; None if `epochs` says it.
      warmup_fraction: the part of the updates in which the learning rate rises.
      blocks_alone: train the blocks and the embedding, without pooler and heads.
      embedding_rate: factor of the learning rate for the embedding, with `blocks_alone`.
      block_by_block: make a stage for each pair of blocks, from the first to the last.
      earlier_rate: factor of the learning rate for blocks of earlier stages, with `block_by_block`.
      sums_over_blocks: losses of blocks are sums over the pairs, as published; else means.
      options: further fields of `Stage`, by name.
      sources: where each number is from, by the field's name; for an option by its own name.
    """

    name: str
    reads: Literal["corpus", "task"]
    losses: dict[str, float]
    learning_rate: float
    batch_size: int
    augmented: bool = False
    layer_map: LayerMap | None = None
    epochs: int | None = None
    steps: int | None = None
    warmup_fraction: float = 0.0
    end_rate: float = 0.0
    optimizer: Optimizer = Stage.optimizer
    blocks_alone: bool = False
    embedding_rate: float = 1.0
    block_by_block: bool = False
    earlier_rate: float = 1.0
    sums_over_blocks: bool = False
    options: dict = dataclasses.field(default_factory=dict)
    sources: dict[str, str] = dataclasses.field(default_factory=dict)

    def stages(self, components: tuple[str, ...], pairs: Pairs, steps: int) -> tuple[Stage, ...]:
        """Return the stages for a student.

        Args:
          components: all components of the student.
          pairs: of blocks that are compared.
          steps: updates of all stages together.
        Raises:
          InputError: for `block_by_block` and blocks of the student that do not ascend, or fewer
            updates than blocks.
        """
        if self.block_by_block:
            return self._for_each_block(pairs, steps)
        return (self._stage(self.name, steps, self._rates(components), pairs),)

    def _rates(self, components):
        if not self.blocks_alone:
            return dict.fromkeys(components, 1.0)
        return {"embedding": self.embedding_rate,
                **{name: 1.0 for name in components if name.startswith("block_")}}

    def _for_each_block(self, pairs, steps):
        student_blocks = [pair[0] for pair in pairs]
        if not pairs or student_blocks != sorted(set(student_blocks)):
            raise InputError("progressive transfer goes through the student's blocks from the "
                             f"first to the last. Received: {student_blocks}")
        if steps < len(pairs):
            raise InputError(f"progressive transfer goes through {len(pairs)} blocks and needs at "
                             f"least as many updates. Received: {steps}")
        stages = []
        for index, pair in enumerate(pairs):
            first = pairs[index - 1][0] + 1 if index else 0
            rates = {f"block_{block}": 1.0 if block >= first else self.earlier_rate
                     for block in range(pair[0] + 1)}
            # The embedding is transferred with the first block.
            rates["embedding"] = self.embedding_rate * (1.0 if index == 0 else self.earlier_rate)
            share = steps * (index + 1) // len(pairs) - steps * index // len(pairs)
            stages.append(self._stage(f"{self.name}_{pair[0]}", share, rates, (pair,)))
        return tuple(stages)

    def _stage(self, name, steps, rates, pairs):
        return Stage(**{
            "name": name, "steps": steps, "losses": self._weights(pairs),
            "rates": {component: rate for component, rate in rates.items() if rate},
            "blocks": pairs if compares_blocks(self.losses) else (),
            "learning_rate": self.learning_rate,
            "warmup_steps": int(steps * self.warmup_fraction), "end_rate": self.end_rate,
            "optimizer": self.optimizer, "batch_size": self.batch_size, **self.options})

    def _weights(self, pairs):
        if not self.sums_over_blocks:
            return dict(self.losses)
        return {name: weight * _terms(name, pairs) for name, weight in self.losses.items()}


def _terms(loss, pairs):
    """How many terms a sum over the pairs has that a loss compares; 1 for a loss of no blocks."""
    objective = OBJECTIVES[loss]
    return len(objective.pairs(pairs)) if objective.compares_blocks else 1
