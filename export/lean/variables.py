"""The large arrays of a LeanModel in variables, so that the converter copies them less often.

The converter copies the constants of a graph with the graph: BERT-base took 12.6 GB, 29 times its
weights. It reads variables from a checkpoint and makes them constants by itself: 4.4 GB.
"""

import dataclasses

import tensorflow as tf

from mobilebert_tf.export.lean.lean_model import LeanModel
from mobilebert_tf.export.lean.weights.block import LeanBlock
from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.dense_norm import LeanDenseNorm
from mobilebert_tf.export.lean.weights.embedding import LeanEmbedding
from mobilebert_tf.export.lean.weights.feed_forward import LeanFeedForward
from mobilebert_tf.export.lean.weights.lean_head import LeanHead

_PARTS = (LeanModel, LeanHead, LeanBlock, LeanFeedForward, LeanDenseNorm)


def in_variables(model: LeanModel) -> tuple[LeanModel, tf.Module]:
    """Return a model whose kernels and word table are variables, and what holds the variables."""
    module = tf.Module()
    module.arrays = []

    def hold(array):
        module.arrays.append(tf.Variable(array, trainable=False))
        return module.arrays[-1]

    return _mapped(model, hold), module


def _mapped(value, hold):
    match value:
        case LeanDense():
            return dataclasses.replace(value, kernel=hold(value.kernel))
        case LeanEmbedding():
            return dataclasses.replace(value, word_table=hold(value.word_table),
                                       projection=_mapped(value.projection, hold))
        case tuple():
            return tuple(_mapped(part, hold) for part in value)
        case _ if isinstance(value, _PARTS):
            return dataclasses.replace(value, **{
                field.name: _mapped(getattr(value, field.name), hold)
                for field in dataclasses.fields(value)})
    return value
