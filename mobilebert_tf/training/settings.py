"""TrainingSettings: how a run goes, whatever its stages. No TensorFlow here."""

import dataclasses
import math
from typing import Literal, get_args

from mobilebert_tf.checks import MOST_SEED, check_types
from mobilebert_tf.errors import InputError
from mobilebert_tf.precision import Precision

Devices = Literal["one", "mirrored", "workers", "tpu"]
# Field -> the least that it may be.
_LEAST = {"seed": 0, "accumulation": 1, "log_every": 1, "checkpoint_every": 1, "keep": 1,
          "validation_steps": 0}


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a run goes, whatever its stages.

    Args:
      seed: for the initial weights, the order of the data, masks and dropout.
      accumulation: parts of a batch that a device computes one after another, to save memory.
      clip_norm: the gradients are clipped to this global norm.
      log_every: steps between lines of metrics.jsonl.
      checkpoint_every: steps between checkpoints.
      keep: how many checkpoints are kept.
      validation_steps: batches of the validation split at the end of each stage; 0 for none.
      devices: `one` is the first GPU or the CPU; `mirrored` all GPUs of this machine; `workers` the
        machines that the environment variable TF_CONFIG names; `tpu` the TPU that TPU_NAME names,
        which was never tried on a real one.
      precision: `float32` or `mixed_bfloat16`, which computes in 16 bits and keeps weights in 32.
      deterministic: train the same weights, bit for bit, from the same arguments on one machine;
        slower on GPUs. It stays on for the whole process.
    Raises:
      InputError: for a value that is not allowed.
    """

    seed: int = 1
    accumulation: int = 1
    clip_norm: float = 1.0
    log_every: int = 20
    checkpoint_every: int = 200
    keep: int = 3
    validation_steps: int = 20
    devices: Devices = "one"
    precision: Precision = "float32"
    deterministic: bool = False

    def __post_init__(self):
        check_types(self)
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}, below {least}")
        if self.seed > MOST_SEED:
            raise InputError(f"seed is {self.seed}, above {MOST_SEED}")
        if not 0 < self.clip_norm < math.inf:
            raise InputError(f"clip_norm is {self.clip_norm}; give a finite number above 0")
        for name, choices in (("devices", Devices), ("precision", Precision)):
            if getattr(self, name) not in get_args(choices):
                raise InputError(f"{name} is {getattr(self, name)!r}; choose one of "
                                 f"{', '.join(get_args(choices))}")
