"""LeanModel: the weights of a model as inference uses them, in plain arrays. No TensorFlow here.

`from_keras` takes it from a Keras model, `rewrites` change it, and `graph` computes it. It computes
the same function as the Keras model, without dropout and without outputs that files do not have.
"""

import dataclasses
import math

import numpy as np

from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.kinds.kind import Kind


@dataclasses.dataclass(frozen=True)
class Dense:
    """x W + b: `kernel` (features in, units), `bias` (units,)."""

    kernel: np.ndarray
    bias: np.ndarray


@dataclasses.dataclass(frozen=True)
class Affine:
    """NoNorm: scale * x + shift, feature by feature."""

    scale: np.ndarray
    shift: np.ndarray


@dataclasses.dataclass(frozen=True)
class LayerNorm:
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta over the features."""

    gamma: np.ndarray
    beta: np.ndarray
    epsilon: float


Norm = Affine | LayerNorm | None  # None is the identity


@dataclasses.dataclass(frozen=True)
class DenseNorm:
    """Norm(x W + b + residual_scale * residual). Bottlenecks have no residual.

    A `residual_scale` of None is 1.
    """

    dense: Dense
    norm: Norm
    residual_scale: np.ndarray | None = None


@dataclasses.dataclass(frozen=True)
class FeedForward:
    """Norm(activation(x W1 + b1) W2 + b2 + x)."""

    intermediate: Dense
    output: DenseNorm


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


@dataclasses.dataclass(frozen=True)
class Embedding:
    """Norm(Dense(word row, or three with trigram input) + type row + position row)."""

    word_table: np.ndarray
    position_table: np.ndarray
    type_table: np.ndarray | None
    projection: Dense | None
    norm: Norm


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
    hidden: Dense | None = None
    norm: LayerNorm | None = None
    output: Dense | None = None
    unit_length: bool = False

    @property
    def is_linear(self):
        """Whether a dense layer is what reads the last states, pooled or not."""
        return self.output is not None and self.pooler not in (
            "scaled_first_token", "segment_match")


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
    embedding: Embedding
    blocks: tuple[Block, ...]
    head: LeanHead
    attention_scale: float | None
    mask_value: float
    merged: bool = False
    first_position_only: bool = False


def from_keras(model, kind: Kind) -> LeanModel:
    """Read the weights of one of the project's models, as float32.

    Args:
      model: an `Encoder` or a model with a head.
      kind: of the model.
    """
    encoder = model.encoder
    return LeanModel(
        config=encoder.config, embedding=_embedding(encoder.embedding),
        blocks=tuple(map(_block, encoder.blocks)), head=_head(model, kind),
        attention_scale=1 / math.sqrt(encoder.config.head_size),
        mask_value=encoder.config.attention_mask_value)


def _array(variable):
    return np.asarray(variable, np.float32)


def _dense(layer):
    return None if layer is None else Dense(_array(layer.kernel), _array(layer.bias))


def _norm(layer):
    gamma, beta = _array(layer.gamma), _array(layer.beta)
    # Only LayerNormalization has an epsilon.
    epsilon = getattr(layer, "epsilon", None)
    return Affine(gamma, beta) if epsilon is None else LayerNorm(gamma, beta, epsilon)


def _dense_norm(layer):
    return None if layer is None else DenseNorm(_dense(layer.dense), _norm(layer.norm))


def _embedding(layer):
    return Embedding(
        word_table=_array(layer.word_table), position_table=_array(layer.position_table),
        type_table=None if layer.type_table is None else _array(layer.type_table),
        projection=_dense(layer.projection), norm=_norm(layer.norm))


def _block(layer):
    attention = layer.attention
    return Block(
        input_bottleneck=_dense_norm(layer.input_bottleneck),
        shared_bottleneck=_dense_norm(layer.shared_bottleneck),
        query=_dense(attention.query), key=_dense(attention.key), value=_dense(attention.value),
        attention_output=_dense_norm(layer.attention_output),
        feed_forwards=tuple(
            FeedForward(_dense(one.intermediate), _dense_norm(one.output_dense))
            for one in layer.feed_forwards),
        output_bottleneck=_dense_norm(layer.output_bottleneck))


def _head(model, kind):
    head = kind.exported_head(model)
    return LeanHead(kind, head.pooler, hidden=_dense(head.hidden),
                    norm=None if head.norm is None else _norm(head.norm),
                    output=_dense(head.output), unit_length=head.unit_length)
