"""FeedForward: the weights of a feed-forward."""

import dataclasses

from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.dense_norm import LeanDenseNorm


@dataclasses.dataclass(frozen=True)
class LeanFeedForward:
    """Norm(activation(x W1 + b1) W2 + b2 + x)."""

    intermediate: LeanDense
    output: LeanDenseNorm
