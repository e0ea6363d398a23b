"""Stages: what is trained, by which losses, for how long. Recipes are tuples of them.

Auxiliary, joint and progressive knowledge transfer (Sun et al. 2020, arXiv:2004.02984, on training
strategies) differ in their stages alone; the loop does not know which one it runs.
"""

import dataclasses
import json
import os
from typing import Literal

from mobilebert_tf import records
from mobilebert_tf.errors import InputError

# Losses that compare a block of the student with one of the teacher, and those that read the end
# of the model; `objectives.py` binds them to their functions.
BLOCK_LOSSES = ("feature_map", "normalized_feature_map", "feature_mean", "feature_variance",
                "attention")
LABEL_LOSSES = ("masked_lm", "next_sentence")
TEACHER_LOSSES = ("masked_lm_distillation", "sentence_embedding")
LOSSES = (*BLOCK_LOSSES, *LABEL_LOSSES, *TEACHER_LOSSES)

# As google-research's code trains: mean and variance apart, from its README, divided by its 24.
PUBLISHED_TRANSFER = {"normalized_feature_map": 100 / 24, "feature_mean": 5000 / 24,
                      "feature_variance": 5 / 24, "attention": 1 / 24}
# L_PD with alpha = 0.5, google-research's distill_ground_truth_ratio.
PUBLISHED_DISTILLATION = {"masked_lm": 0.5, "masked_lm_distillation": 0.5, "next_sentence": 1.0}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stage:
    """A part of a run that has one loss, one set of trained variables and one optimizer.

    Args:
      name: for logs, unique in a run.
      steps: updates.
      losses: name -> weight, of `LOSSES`.
      rates: component -> its part of the learning rate; what is not named is frozen. Components
        are `embedding`, `block_0` and so on, `pooler`, `mlm` and `nsp`.
      blocks: (student's block, teacher's block) whose outputs the block losses compare, from 0.
      learning_rate: peak.
      warmup_steps: updates until the peak.
      end_rate: part of the peak at the last step, reached linearly; 1 holds the peak.
      optimizer: `adamw` or `lamb`.
      batch_size: sequences an update, over all devices.
      masking_rate: part of the tokens that is masked in what the student reads.
      whole_word: whether the pieces of a word are masked together.
      replacement_rate: part of the tokens in whose place teacher and student read any piece of the
        vocabulary; for texts that lack many.
      teacher_reads_masks: whether the teacher reads the masked tokens too, as published, or the
        original ones.
      temperature: of `masked_lm_distillation`.
      dropout: whether the student's dropout is on; google-research has it off wherever there is a
        teacher.
      count_padding: whether padding is in the means of the block losses, as published.
    Raises:
      InputError: for a value outside these.
    """

    name: str
    steps: int
    losses: dict[str, float]
    rates: dict[str, float]
    learning_rate: float
    batch_size: int
    blocks: tuple[tuple[int, int], ...] = ()
    warmup_steps: int = 0
    end_rate: float = 0.0
    optimizer: Literal["adamw", "lamb"] = "lamb"
    masking_rate: float = 0.15
    whole_word: bool = False
    replacement_rate: float = 0.0
    teacher_reads_masks: bool = True
    temperature: float = 1.0
    dropout: bool = False
    count_padding: bool = False

    def __post_init__(self):
        object.__setattr__(self, "blocks", tuple(tuple(pair) for pair in self.blocks))
        self._require(all(len(pair) == 2 for pair in self.blocks),
                      "names blocks that are no pairs of the student's and the teacher's")
        unknown = sorted(set(self.losses) - set(LOSSES))
        self._require(not unknown, f"has no loss {', '.join(unknown)}; known are "
                                   f"{', '.join(LOSSES)}")
        self._require(any(self.losses.values()), "has no loss")
        self._require(all(weight >= 0 for weight in self.losses.values()),
                      "has a loss of negative weight")
        self._require(any(self.rates.values()), "trains nothing")
        self._require(all(rate >= 0 for rate in self.rates.values()), "has a negative rate")
        self._require(self.steps >= 1, f"has {self.steps} steps")
        self._require(self.batch_size >= 1, f"has a batch of {self.batch_size}")
        self._require(0 <= self.warmup_steps < self.steps,
                      f"has {self.warmup_steps} warm-up steps of {self.steps}")
        self._require(self.learning_rate > 0, f"has a learning rate of {self.learning_rate}")
        self._require(self.temperature > 0, f"has a temperature of {self.temperature}")
        self._require(0 <= self.end_rate <= 1, f"has an end_rate of {self.end_rate}")
        self._require(0 <= self.masking_rate < 1, f"has a masking_rate of {self.masking_rate}")
        self._require(0 <= self.replacement_rate <= 1,
                      f"has a replacement_rate of {self.replacement_rate}")
        self._require(self.optimizer in ("adamw", "lamb"),
                      f"has the optimizer {self.optimizer!r}; known are adamw, lamb")
        compares = any(name in BLOCK_LOSSES for name in self.active_losses)
        self._require(bool(self.blocks) == compares,
                      "names blocks if and only if it has a loss that compares them")
        predicts = any(name.startswith("masked_lm") for name in self.active_losses)
        self._require(self.masking_rate > 0 or not predicts, "predicts tokens but masks none")

    def _require(self, condition, complaint):
        if not condition:
            raise InputError(f"stage {self.name!r} {complaint}")

    @property
    def active_losses(self) -> dict[str, float]:
        return {name: weight for name, weight in self.losses.items() if weight}

    @property
    def has_teacher(self) -> bool:
        return any(name not in LABEL_LOSSES for name in self.active_losses)

    @property
    def reads_whole_model(self) -> bool:
        """Whether a loss reads more than blocks; else those after the last compared are idle."""
        return any(name not in BLOCK_LOSSES for name in self.active_losses)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """What the three strategies share: budgets, losses and rates.

    The defaults are google-research's, but for its steps and batch, which are a cluster's: 240,000
    steps of transfer and 500,000 of distillation in batches of 2,048.

    Args:
      transfer_steps: updates of feature map and attention transfer, over all blocks.
      distillation_steps: updates of pre-training distillation.
      transfer_losses, distillation_losses: name -> weight.
      transfer_rate, distillation_rate: peak learning rates. google-research's 1.5e-3 is multiplied
        by 3 for transfer.
      earlier_rate: part of the learning rate that blocks already transferred keep in progressive
        transfer; 0 freezes them.
      embedding_rate: part that the embedding has during transfer; 0 where it is the teacher's.
      transfer_end_rate: part of the peak at the last step of a transfer stage.
      options: further fields of every `Stage`.
    """

    transfer_steps: int
    distillation_steps: int
    batch_size: int
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


def auxiliary(components: tuple[str, ...], blocks: tuple[tuple[int, int], ...],
              plan: Plan) -> tuple[Stage, ...]:
    """Auxiliary knowledge transfer: one stage with all losses at once.

    Args:
      components: all of the student's.
      blocks: (student's, teacher's) of every block that is compared.
      plan: budgets and losses.
    """
    steps = plan.transfer_steps + plan.distillation_steps
    return (_stage(plan, "auxiliary", steps, {**plan.transfer_losses, **plan.distillation_losses},
                   dict.fromkeys(components, 1.0), blocks, plan.distillation_rate, 0.0),)


def joint(components: tuple[str, ...], blocks: tuple[tuple[int, int], ...],
          plan: Plan) -> tuple[Stage, ...]:
    """Joint knowledge transfer: all blocks at once, then distillation. Args: of `auxiliary`."""
    rates = {name: 1.0 for name in components if name.startswith("block_")}
    return (_stage(plan, "transfer", plan.transfer_steps, plan.transfer_losses,
                   {"embedding": plan.embedding_rate, **rates}, blocks, plan.transfer_rate,
                   plan.transfer_end_rate),
            _distillation(components, blocks, plan))


def progressive(components: tuple[str, ...], blocks: tuple[tuple[int, int], ...],
                plan: Plan) -> tuple[Stage, ...]:
    """Progressive knowledge transfer: a stage for each block, from the first, then distillation.

    Blocks whose turn is over learn on at `plan.earlier_rate`. Args: of `auxiliary`.

    Raises:
      InputError: when the student's blocks do not ascend.
    """
    students = [pair[0] for pair in blocks]
    if not blocks or students != sorted(set(students)):
        raise InputError("progressive transfer goes through the student's blocks from the first "
                         f"to the last. Received: {students}")
    stages = []
    for index, pair in enumerate(blocks):
        first = blocks[index - 1][0] + 1 if index else 0
        rates = {f"block_{block}": 1.0 if block >= first else plan.earlier_rate
                 for block in range(pair[0] + 1)}
        # The embedding's turn is the first block's.
        embedding_rate = plan.embedding_rate * (1.0 if index == 0 else plan.earlier_rate)
        steps = (plan.transfer_steps * (index + 1) // len(blocks)
                 - plan.transfer_steps * index // len(blocks))
        stages.append(_stage(
            plan, f"transfer_{pair[0]}", steps, plan.transfer_losses,
            {"embedding": embedding_rate, **rates}, (pair,), plan.transfer_rate,
            plan.transfer_end_rate))
    return (*stages, _distillation(components, blocks, plan))


STRATEGIES = {"auxiliary": auxiliary, "joint": joint, "progressive": progressive}


def pretraining(components: tuple[str, ...], steps: int, batch_size: int, learning_rate: float,
                next_sentence: bool = True, **options) -> tuple[Stage, ...]:
    """Masked LM, and next sentence where the model has that head, without a teacher.

    Args:
      components: all of the model's.
      next_sentence: whether a head for it that is there is trained.
      options: further fields of `Stage`.
    """
    trained = [name for name in components if next_sentence or name != "nsp"]
    losses = {"masked_lm": 1.0, **({"next_sentence": 1.0} if "nsp" in trained else {})}
    return (Stage(**{"name": "pretraining", "steps": steps, "losses": losses,
                     "rates": dict.fromkeys(trained, 1.0), "learning_rate": learning_rate,
                     "batch_size": batch_size, "warmup_steps": steps // 10, "dropout": True,
                     **options}),)


def save(path: str | os.PathLike, stages: tuple[Stage, ...]) -> None:
    """Writes stages as JSON, which `load` reads and people may edit."""
    from mobilebert_tf.files import write_atomically

    write_atomically(path, json.dumps(to_json(stages), indent=2).encode() + b"\n")


def to_json(stages: tuple[Stage, ...]) -> list[dict]:
    return [dataclasses.asdict(stage) for stage in stages]


def load(path: str | os.PathLike) -> tuple[Stage, ...]:
    """Reads stages from a JSON file: a list of objects with the fields of `Stage`.

    Raises:
      InputError: for a file that is no such list, or two stages of one name.
    """
    stages = tuple(records.read(path, list[Stage]))
    names = [stage.name for stage in stages]
    if not stages or len(set(names)) < len(names):
        raise InputError(f"{path} should hold stages of different names. Received: {names}")
    return stages


def _distillation(components, blocks, plan):
    return _stage(plan, "distillation", plan.distillation_steps, plan.distillation_losses,
                  dict.fromkeys(components, 1.0), blocks, plan.distillation_rate, 0.0)


def _stage(plan, name, steps, losses, rates, blocks, learning_rate, end_rate):
    compares = any(weight for loss, weight in losses.items() if loss in BLOCK_LOSSES)
    return Stage(**{
        "name": name, "steps": steps, "losses": dict(losses),
        "rates": {name: rate for name, rate in rates.items() if rate},
        "blocks": blocks if compares else (), "learning_rate": learning_rate,
        "warmup_steps": int(steps * plan.warmup_fraction), "end_rate": end_rate,
        "batch_size": plan.batch_size, **plan.options})
