"""Affine: the weights of a NoNorm."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Affine:
    """NoNorm: scale * x + shift, feature by feature."""

    scale: np.ndarray
    shift: np.ndarray
