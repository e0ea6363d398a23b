"""SpeedPlan: what of training is measured, and how."""

import dataclasses
import os
from pathlib import Path

from mobilebert_tf.errors import InputError

# Progressive stages are all measured up to this many; of more, a selection is named.
_FEW_BLOCKS = 8


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpeedPlan:
    """What is measured.

    Args:
      student: preset, or model or Hugging Face directory; speed is that of any weights.
      teacher: the same; None where no knowledge transfer is measured.
      pretrained: the same, whose pre-training step is measured; None for the student's.
      batch_size, length: of every step.
      rounds: of turns.
      depths: which progressive stages, by the blocks that they compute; None for all of up to 8,
        and of more the quarters.
      corpus: whose batches the input pipeline reads; None for a synthetic one.
      precisions: of our pre-training step.
      peers: whether transformers' MobileBERT is measured too.
      peer_python: the interpreter that runs it; None for this one.
      threads: of both programs.
      examples: of a synthetic corpus.
    Raises:
      InputError: for rounds, sizes or depths that are none.
    """

    student: str
    teacher: str | None = None
    pretrained: str | None = None
    batch_size: int = 8
    length: int = 128
    rounds: int = 10
    depths: tuple[int, ...] | None = None
    corpus: str | os.PathLike | None = None
    precisions: tuple[str, ...] = ("float32",)
    peers: bool = False
    peer_python: str | os.PathLike | None = None
    threads: int
    examples: int = 4096

    def __post_init__(self):
        for name in ("batch_size", "rounds", "threads"):
            if getattr(self, name) < 1:
                raise InputError(f"{name.replace('_', ' ')} is {getattr(self, name)}, below 1")
        if self.length < 4:
            raise InputError(f"a length of {self.length} leaves no room for text")
        unknown = set(self.precisions) - {"float32", "mixed_bfloat16"}
        if unknown or "float32" not in self.precisions:
            raise InputError("precisions are float32, and mixed_bfloat16 beside it. Received: "
                             + ", ".join(self.precisions))

    def measured_depths(self, num_blocks: int) -> tuple[int, ...]:
        """Which progressive stages of a student of so many blocks."""
        if self.depths is None:
            if num_blocks <= _FEW_BLOCKS:
                return tuple(range(1, num_blocks + 1))
            return tuple(sorted({max(1, num_blocks * part // 4) for part in (1, 2, 3, 4)}))
        for depth in self.depths:
            if not 1 <= depth <= num_blocks:
                raise InputError(f"there is no stage of {depth} blocks: the student has "
                                 f"{num_blocks}")
        return tuple(sorted(set(self.depths)))

    @property
    def corpus_name(self) -> str:
        return "synthetic" if self.corpus is None else Path(self.corpus).name
