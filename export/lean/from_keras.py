"""The weights of a Keras model as a LeanModel. No TensorFlow here."""

import math

import numpy as np

from mobilebert_tf.export.lean.lean_model import LeanModel
from mobilebert_tf.export.lean.weights.affine import Affine
from mobilebert_tf.export.lean.weights.block import LeanBlock
from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.dense_norm import LeanDenseNorm
from mobilebert_tf.export.lean.weights.embedding import LeanEmbedding
from mobilebert_tf.export.lean.weights.feed_forward import LeanFeedForward
from mobilebert_tf.export.lean.weights.layer_norm import LayerNorm
from mobilebert_tf.export.lean.weights.lean_head import LeanHead
from mobilebert_tf.kinds.kind import Kind


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
    return None if layer is None else LeanDense(_array(layer.kernel), _array(layer.bias))


def _norm(layer):
    gamma, beta = _array(layer.gamma), _array(layer.beta)
    # Only LayerNormalization has an epsilon.
    epsilon = getattr(layer, "epsilon", None)
    return Affine(gamma, beta) if epsilon is None else LayerNorm(gamma, beta, epsilon)


def _dense_norm(layer):
    return None if layer is None else LeanDenseNorm(_dense(layer.dense), _norm(layer.norm))


def _embedding(layer):
    return LeanEmbedding(
        word_table=_array(layer.word_table), position_table=_array(layer.position_table),
        type_table=None if layer.type_table is None else _array(layer.type_table),
        projection=_dense(layer.projection), norm=_norm(layer.norm))


def _block(layer):
    attention = layer.attention
    return LeanBlock(
        input_bottleneck=_dense_norm(layer.input_bottleneck),
        shared_bottleneck=_dense_norm(layer.shared_bottleneck),
        query=_dense(attention.query), key=_dense(attention.key), value=_dense(attention.value),
        attention_output=_dense_norm(layer.attention_output),
        feed_forwards=tuple(
            LeanFeedForward(_dense(one.intermediate), _dense_norm(one.output_dense))
            for one in layer.feed_forwards),
        output_bottleneck=_dense_norm(layer.output_bottleneck))


def _head(model, kind):
    head = kind.exported_head(model)
    return LeanHead(kind, head.pooler, hidden=_dense(head.hidden),
                    norm=None if head.norm is None else _norm(head.norm),
                    output=_dense(head.output), unit_length=head.unit_length)
