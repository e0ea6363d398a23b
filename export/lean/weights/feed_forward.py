"""FeedForward: the weights of a feed-forward."""

import dataclasses

from mobilebert_tf.export.lean.weights.dense import Dense
from mobilebert_tf.export.lean.weights.dense_norm import DenseNorm


@dataclasses.dataclass(frozen=True)
class FeedForward:
    """Norm(activation(x W1 + b1) W2 + b2 + x)."""

    intermediate: Dense
    output: DenseNorm
