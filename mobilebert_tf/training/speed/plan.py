"""SpeedPlan: which training steps are measured, and how."""

import dataclasses
import os
from pathlib import Path
from typing import get_args

from mobilebert_tf.errors import InputError
from mobilebert_tf.precision import Precision

# Up to so many progressive stages are all measured; of more, the quarters are.
_FEW_BLOCKS = 8


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpeedPlan:
    """What is measured.

    Args:
      student: preset, or model or Hugging Face directory; the weights have no effect on speed.
      teacher: the same; None to measure no knowledge transfer.
      pretrained: the same; its pre-training step is measured. None for the student.
      batch_size: sequences per step.
      length: tokens per sequence, all of them real.
      rounds: rounds in which every step has its turn.
      depths: which progressive stages, by the number of blocks that they compute; None for all of
        up to 8, and for the quarters of more.
      corpus: what the input pipeline reads; None for a synthetic corpus.
      precisions: for our pre-training step.
      peers: measure transformers' MobileBERT too.
      peer_python: the interpreter that runs it; None for this one.
      threads: for both programs.
      examples: in the synthetic corpus.
    Raises:
      InputError: for a value that is not allowed.
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
        if "float32" not in self.precisions or set(self.precisions) - set(get_args(Precision)):
            raise InputError("precisions should be float32, or float32 and mixed_bfloat16. "
                             f"Received: {', '.join(self.precisions)}")

    def measured_depths(self, num_blocks: int) -> tuple[int, ...]:
        """Return which progressive stages are measured for a student of so many blocks.

        Raises:
          InputError: for a depth that the student does not have.
        """
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
