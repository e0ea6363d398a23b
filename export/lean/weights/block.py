"""Block: the weights of a block."""

import dataclasses

from mobilebert_tf.export.lean.weights.dense import Dense
from mobilebert_tf.export.lean.weights.dense_norm import DenseNorm
from mobilebert_tf.export.lean.weights.feed_forward import FeedForward


@dataclasses.dataclass(frozen=True)
class Block:
    """One block; a bottleneck is None if the config has none."""

    input_bottleneck: DenseNorm | None
    shared_bottleneck: DenseNorm | None
    query: Dense
    key: Dense
    value: Dense
    attention_output: DenseNorm
    feed_forwards: tuple[FeedForward, ...]
    output_bottleneck: DenseNorm | None
