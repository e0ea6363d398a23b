"""LeanHead: the weights of what reads the last block."""

import dataclasses

from mobilebert_tf.export.lean.weights.affine import Affine
from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.layer_norm import LayerNorm
from mobilebert_tf.kinds.kind import Kind


@dataclasses.dataclass(frozen=True)
class LeanHead:
    """What reads the last block: [pool] -> [hidden dense, activation, norm] -> [output dense].

    Args:
      kind: of the model; it names the outputs.
      pooler: how the tokens' states become one, of `EncoderConfig.pooler`'s kinds; None where the
        head reads every token's.
      input_norm: applied to the last block's output before anything reads it.
      hidden: of a dense pooler and of the masked-LM head.
      norm: the masked-LM head's.
      output: to the logits.
      unit_length: whether the result is divided by its length.
    """

    kind: Kind
    pooler: str | None = None
    input_norm: Affine | None = None
    hidden: LeanDense | None = None
    norm: LayerNorm | None = None
    output: LeanDense | None = None
    unit_length: bool = False

    @property
    def is_linear(self):
        """Whether a dense layer is what reads the last states, pooled or not."""
        return self.output is not None and self.pooler not in (
            "scaled_first_token", "segment_match")
