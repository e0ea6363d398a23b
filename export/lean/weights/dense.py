"""Dense: the weights of a dense layer."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class LeanDense:
    """x W + b: `kernel` (features in, units), `bias` (units,)."""

    kernel: np.ndarray
    bias: np.ndarray
