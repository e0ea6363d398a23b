"""Stage: what is trained, by which losses, for how long. A recipe is a tuple of stages.

Auxiliary, joint and progressive knowledge transfer (Sun et al. 2020, arXiv:2004.02984) differ in
their stages alone; the loop does not know which of them it runs. No TensorFlow here.
"""

import dataclasses
import itertools
import math
from typing import Literal, get_args

from mobilebert_tf.checks import check_types
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.objectives import EMBEDDING, HEAD, OBJECTIVES, Block

Optimizer = Literal["lamb", "adamw"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stage:
    """A part of a run with one loss, one set of trained variables and one optimizer.

    Args:
      name: for logs, unique in a run.
      steps: updates; None if `epochs` says how many.
      epochs: passes over what it reads, instead of steps.
      losses: name -> weight; the names are those of `OBJECTIVES`.
      rates: component -> factor of the learning rate; components without a factor are frozen. The
        components are `embedding`, `block_0` and so on, `pooler`, `mlm`, `nsp` and `head`.
      learning_rate: the peak.
      batch_size: sequences per update, over all devices.
      blocks: pairs of a student's and a teacher's block, counted from 0, that the block losses
        compare. "embedding" is the embedding's output. It has no attention, so the losses of
        attention leave its pairs out.
      warmup_steps: updates until the peak.
      warmup_fraction: the part of the steps that is the warm-up, instead of `warmup_steps`.
      end_rate: the rate falls linearly to this fraction of the peak, which it would reach one step
        after the last. 1 keeps the peak.
      optimizer: `lamb` or `adamw`.
      masking_rate: fraction of the tokens that are masked for the student.
      whole_word: mask all pieces of a word together.
      replacement_rate: fraction of the tokens that are replaced by random pieces for student and
        teacher; for texts that lack many pieces of the vocabulary.
      teacher_reads_masks: give the teacher the masked tokens, as published; else the original ones.
      temperature: of `masked_lm_distillation`, `all_token_distillation` and `soft_label`.
      relation_heads: heads that the losses of relations cut queries, keys and values into; None for
        the heads of attention, of which student and teacher then have the same number.
      share_projection: project the embedding's output as the blocks', in `projected_feature_map`;
        TinyBERT's code does, its paper has a projection of the embedding's own.
      normalize_patience: divide the states of `patience` by their norms, as in BERT-PKD's paper;
        its code can do without.
      mean_over_classes: divide `soft_label` by the number of classes, as the codes of BERT-PKD and
        TinyBERT do. No effect on kinds whose loss is not a sum over classes.
      dropout: use the student's dropout; google-research turns it off if there is a teacher.
      count_padding: count padding in the means over tokens, as published for the block losses.
      ema_momentum: momentum of moving averages of the weights, which are scored and are the
        stage's result; see `Averages`. 0 for none.
    Raises:
      InputError: for a value that is not allowed.
    """

    name: str
    steps: int | None = None
    epochs: int | None = None
    losses: dict[str, float]
    rates: dict[str, float]
    learning_rate: float
    batch_size: int
    blocks: tuple[tuple[Block, Block], ...] = ()
    warmup_steps: int = 0
    warmup_fraction: float = 0.0
    end_rate: float = 0.0
    optimizer: Optimizer = "lamb"
    masking_rate: float = 0.15
    whole_word: bool = False
    replacement_rate: float = 0.0
    teacher_reads_masks: bool = True
    temperature: float = 1.0
    relation_heads: int | None = None
    share_projection: bool = False
    normalize_patience: bool = True
    mean_over_classes: bool = False
    dropout: bool = False
    count_padding: bool = False
    ema_momentum: float = 0.0

    def __post_init__(self):
        check_types(self)
        object.__setattr__(self, "blocks", tuple(tuple(pair) for pair in self.blocks))
        self._require(all(len(pair) == 2 for pair in self.blocks),
                      "has blocks that are not pairs of a student's and a teacher's block")
        self._require(all(isinstance(block, int) or block == EMBEDDING for block in
                          itertools.chain(*self.blocks)),
                      f"has blocks that are neither a number nor {EMBEDDING!r}")
        unknown = sorted(set(self.losses) - set(OBJECTIVES))
        self._require(not unknown, f"has no loss {', '.join(unknown)}; known are "
                                   f"{', '.join(OBJECTIVES)}")
        self._require(any(self.losses.values()), "has no loss")
        self._require(all(0 <= weight < math.inf for weight in self.losses.values()),
                      "has a loss whose weight is negative or infinite")
        self._require(any(self.rates.values()), "trains nothing")
        self._require(all(0 <= rate < math.inf for rate in self.rates.values()),
                      "has a negative or an infinite rate")
        self._require((self.steps is None) != (self.epochs is None),
                      "should have either steps or epochs")
        for name in ("steps", "epochs"):
            value = getattr(self, name)
            self._require(value is None or value >= 1, f"has {value} {name}")
        self._require(self.batch_size >= 1, f"has a batch size of {self.batch_size}")
        self._require(self.steps is not None or self.warmup_steps == 0,
                      "has epochs and warmup_steps: beside epochs, give a warmup_fraction")
        self._require(self.steps is None or 0 <= self.warmup_steps < self.steps,
                      f"has {self.warmup_steps} warm-up steps of {self.steps}")
        self._require(0 <= self.warmup_fraction < 1 and not (
            self.warmup_fraction and self.warmup_steps),
            f"has a warm-up of {self.warmup_steps} steps and the part {self.warmup_fraction}")
        self._require(0 <= self.ema_momentum < 1, f"has an ema_momentum of {self.ema_momentum}")
        self._require(0 < self.learning_rate < math.inf,
                      f"has a learning rate of {self.learning_rate}")
        self._require(0 < self.temperature < math.inf,
                      f"has a temperature of {self.temperature}")
        self._require(self.relation_heads is None or self.relation_heads >= 1,
                      f"has {self.relation_heads} relation_heads")
        self._require(0 <= self.end_rate <= 1, f"has an end_rate of {self.end_rate}")
        self._require(0 <= self.masking_rate < 1, f"has a masking_rate of {self.masking_rate}")
        self._require(0 <= self.replacement_rate <= 1,
                      f"has a replacement_rate of {self.replacement_rate}")
        self._require(self.optimizer in get_args(Optimizer),
                      f"has the optimizer {self.optimizer!r}; known are "
                      f"{', '.join(get_args(Optimizer))}")
        self._require(bool(self.blocks) == compares_blocks(self.losses),
                      "should have blocks if and only if it has a loss that compares blocks")
        self._require(all(OBJECTIVES[name].pairs(self.blocks) for name in self.active_losses
                          if OBJECTIVES[name].compares_blocks),
                      "compares attention, but every pair of blocks names the embedding")
        predicts = any(OBJECTIVES[name].over == "predictions" for name in self.active_losses)
        self._require(self.masking_rate > 0 or not predicts, "predicts tokens but masks none")

    def _require(self, condition, complaint):
        if not condition:
            raise InputError(f"stage {self.name!r} {complaint}")

    @property
    def active_losses(self) -> dict[str, float]:
        return {name: weight for name, weight in self.losses.items() if weight}

    @property
    def has_labels(self) -> bool:
        """Whether the stage learns what the task asks for, from labels or soft labels."""
        return any(OBJECTIVES[name].output == HEAD for name in self.active_losses)

    def in_steps(self, steps_per_epoch: int) -> "Stage":
        """Return the stage with `epochs` and `warmup_fraction` converted to numbers of steps."""
        steps = self.steps or self.epochs * steps_per_epoch
        return dataclasses.replace(
            self, steps=steps, epochs=None, warmup_fraction=0.0,
            warmup_steps=self.warmup_steps or int(steps * self.warmup_fraction))

    def with_relation_heads(self, heads: int) -> "Stage":
        """Return the stage with this number of relation heads, if it has none of its own."""
        return dataclasses.replace(self, relation_heads=self.relation_heads or heads)

    @property
    def has_teacher(self) -> bool:
        return any(OBJECTIVES[name].has_teacher for name in self.active_losses)

    @property
    def num_blocks(self) -> tuple[int | None, int | None]:
        """How many blocks of student and teacher are computed; None for all of them."""
        if all(OBJECTIVES[name].compares_blocks for name in self.active_losses):
            return tuple(max(0 if block == EMBEDDING else block + 1 for block in blocks)
                         for blocks in zip(*self.blocks, strict=True))
        return None, None

    @property
    def compared_blocks(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The indices of the blocks of student and teacher that are compared, in order."""
        return tuple(tuple(sorted({pair[side] for pair in self.blocks} - {EMBEDDING}))
                     for side in (0, 1))

    @property
    def teacher_word_ids(self) -> str:
        """The entry of a batch that the teacher reads as its `input_word_ids`."""
        return "input_word_ids" if self.teacher_reads_masks else "original_word_ids"


def compares_blocks(losses: dict[str, float]) -> bool:
    """Return whether one of these losses compares blocks and has a weight."""
    return any(weight and OBJECTIVES[name].compares_blocks for name, weight in losses.items())


def check_options(options: dict) -> None:
    """Raise InputError for an option of a plan that is no field of `Stage`."""
    known = [field.name for field in dataclasses.fields(Stage)]
    unknown = [str(name) for name in options if name not in known]
    if unknown:
        raise InputError(f"options has no {', '.join(unknown)}; known are {', '.join(known)}")
