"""LeanModel: the weights of a model as inference uses them, in plain arrays. No TensorFlow here.

`from_keras` takes it from a Keras model, `rewrites` change it, and `graph` computes it. It computes
the same function as the Keras model, without dropout and without outputs that files do not have.
"""

import dataclasses

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.export.lean.weights.block import LeanBlock
from mobilebert_tf.export.lean.weights.embedding import LeanEmbedding
from mobilebert_tf.export.lean.weights.lean_head import LeanHead


@dataclasses.dataclass(frozen=True)
class LeanModel:
    """A whole model.

    Args:
      config: of the encoder.
      embedding, blocks, head: the weights.
      attention_scale: factor of the queries; None if the query weights include it.
      mask_value: added to the attention logits of padding.
      merged: whether projections that read the same tensor are one matmul.
      first_position_only: whether the last block computes the first position alone.
    """

    config: EncoderConfig
    embedding: LeanEmbedding
    blocks: tuple[LeanBlock, ...]
    head: LeanHead
    attention_scale: float | None
    mask_value: float
    merged: bool = False
    first_position_only: bool = False
