"""LayerNorm: the weights of a layer normalization."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class LayerNorm:
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta over the features."""

    gamma: np.ndarray
    beta: np.ndarray
    epsilon: float
