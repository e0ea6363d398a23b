"""Block: the weights of a block."""

import dataclasses

from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.dense_norm import LeanDenseNorm
from mobilebert_tf.export.lean.weights.feed_forward import LeanFeedForward


@dataclasses.dataclass(frozen=True)
class LeanBlock:
    """One block; a bottleneck is None if the config has none."""

    input_bottleneck: LeanDenseNorm | None
    shared_bottleneck: LeanDenseNorm | None
    query: LeanDense
    key: LeanDense
    value: LeanDense
    attention_output: LeanDenseNorm
    feed_forwards: tuple[LeanFeedForward, ...]
    output_bottleneck: LeanDenseNorm | None
