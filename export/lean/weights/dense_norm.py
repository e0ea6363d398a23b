"""DenseNorm: the weights of a dense layer, and of the norm after it."""

import dataclasses

import numpy as np

from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.norm import Norm


@dataclasses.dataclass(frozen=True)
class LeanDenseNorm:
    """Norm(x W + b + residual_scale * residual). Bottlenecks have no residual.

    A `residual_scale` of None is 1.
    """

    dense: LeanDense
    norm: Norm
    residual_scale: np.ndarray | None = None
