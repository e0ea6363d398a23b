"""Coordinates: carry a model's activations at other scales and origins, channel by channel.

NoNorm, unlike LayerNorm, commutes with a change of scale and origin. Wherever dense layers write
and read activations h, the graph may carry u instead, with

    h = scale * u + shift

if the layer that writes divides by the scale and the layer that reads multiplies with it. The
places are the residual streams and the activations between two dense layers.
"""

import dataclasses
import itertools
from collections.abc import Mapping

import numpy as np

from mobilebert_tf.export.lean import places
from mobilebert_tf.export.lean.lean_model import LeanModel
from mobilebert_tf.export.lean.weights.affine import Affine
from mobilebert_tf.export.lean.weights.block import LeanBlock
from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.dense_norm import LeanDenseNorm
from mobilebert_tf.export.lean.weights.feed_forward import LeanFeedForward
from mobilebert_tf.export.lean.weights.layer_norm import LayerNorm


@dataclasses.dataclass(frozen=True)
class Coordinates:
    """How a place carries its activations h: h = scale * u + shift, `(channels,)` each.

    No scale is 0.
    """

    scale: np.ndarray
    shift: np.ndarray


SAME = Coordinates(np.ones(1), np.zeros(1))


def change(model: LeanModel, chosen: Mapping[places.Place, Coordinates]) -> LeanModel:
    """Return the model that computes the same function in other coordinates.

    Args:
      chosen: the coordinates of `hidden`, `inner`, `shared`, `value`, `key` and `intermediate`
        places; an `intermediate` takes positive scales and no shift. A place that is missing keeps
        its coordinates. So must every place that a LayerNorm writes. Without bottlenecks the
        first and the last `inner` of a block are `hidden` places: see `places.in_stream`.
    """
    def at(place):
        return chosen.get(place, SAME)

    return dataclasses.replace(
        model, embedding=_embedding(model.embedding, at(places.hidden(0))),
        blocks=tuple(_block(block, model.config, index, at)
                     for index, block in enumerate(model.blocks)),
        head=_head(model.head, at(places.hidden(len(model.blocks)))))


def _embedding(embedding, after):
    if isinstance(embedding.norm, LayerNorm):
        return embedding
    gain, shift = embedding.norm.scale / after.scale, embedding.norm.shift
    words, positions, types, projection = (
        embedding.word_table, embedding.position_table, embedding.type_table, embedding.projection)
    if projection is None:
        words = words * gain
    else:
        projection = LeanDense(projection.kernel * gain, projection.bias * gain)
    return _in_float32(dataclasses.replace(
        embedding, word_table=words, projection=projection, norm=None,
        position_table=positions * gain + (shift - after.shift) / after.scale,
        type_table=None if types is None else types * gain))


def _block(block, config, index, at):
    before, after = at(places.hidden(index)), at(places.hidden(index + 1))
    shared, key, value = (at(place(index)) for place in (places.shared, places.key, places.value))
    first, *others = (at(places.in_stream(config, index, number))
                      for number in range(len(block.feed_forwards) + 2))
    query_key_input, value_input = {
        "block_input": (before, before), "shared_bottleneck": (shared, before),
        "bottleneck": (first, first)}[config.attention_input]
    query = _read(block.query, query_key_input)
    attention_output = _added(
        _read(block.attention_output.dense, value), block.attention_output.norm, first, others[0])
    feed_forwards = tuple(
        _feed_forward(one, read, at(places.intermediate(index, number)), written)
        for number, (one, (read, written)) in enumerate(
            zip(block.feed_forwards, itertools.pairwise(others), strict=True)))
    return _in_float32(LeanBlock(
        input_bottleneck=_bottleneck(block.input_bottleneck, before, first),
        shared_bottleneck=_bottleneck(block.shared_bottleneck, before, shared),
        # q . (scale * k + shift): the queries take the scale. The shift adds the same number to
        # all logits of a query, and the softmax removes it.
        query=LeanDense(query.kernel * key.scale, query.bias * key.scale),
        key=_written(_read(block.key, query_key_input), key),
        # Probabilities sum to 1, so the context has the coordinates of the values.
        value=_written(_read(block.value, value_input), value),
        attention_output=attention_output, feed_forwards=feed_forwards,
        output_bottleneck=None if block.output_bottleneck is None else _added(
            _read(block.output_bottleneck.dense, others[-1]), block.output_bottleneck.norm,
            before, after)))


def _feed_forward(one, before, middle, after):
    return LeanFeedForward(
        _written(_read(one.intermediate, before), middle),
        _added(_read(one.output.dense, middle), one.output.norm, before, after))


def _head(head, before):
    if not head.is_linear:
        return head if before is SAME else dataclasses.replace(
            head, input_norm=_in_float32(Affine(before.scale, before.shift)))
    name = "output" if head.hidden is None else "hidden"
    return _in_float32(dataclasses.replace(head, **{name: _read(getattr(head, name), before)}))


def _read(dense, before):
    """The dense layer for an input in the coordinates `before`."""
    kernel = dense.kernel.astype(np.float64)
    shift = np.broadcast_to(before.shift, kernel.shape[:1])
    return LeanDense(np.expand_dims(before.scale, -1) * kernel, dense.bias + shift @ kernel)


def _written(dense, after):
    """The dense layer for an output in the coordinates `after`."""
    return LeanDense(dense.kernel / after.scale, (dense.bias - after.shift) / after.scale)


def _bottleneck(dense_norm, before, after):
    if dense_norm is None:
        return None
    dense, norm = _read(dense_norm.dense, before), dense_norm.norm
    if isinstance(norm, LayerNorm):
        return LeanDenseNorm(dense, norm)
    return LeanDenseNorm(_written(LeanDense(
        dense.kernel * norm.scale, dense.bias * norm.scale + norm.shift), after), None)


def _added(dense, norm, before, after):
    """norm(dense + residual) for a residual in the coordinates `before` and a sum in `after`.

    With y the output of the dense layer and u the residual, the sum is
    norm.scale * (y + before.scale * u + before.shift) + norm.shift. The dense layer takes all of
    it but a factor of u. That factor is 1 where the NoNorm folds away completely. Elsewhere u is
    multiplied before the addition, so that both summands have the range of the sum.
    """
    if isinstance(norm, LayerNorm):
        return LeanDenseNorm(dense, norm)
    scale = norm.scale.astype(np.float64)
    bias = scale * (dense.bias + before.shift) + norm.shift
    residual_scale = scale * before.scale / after.scale
    return LeanDenseNorm(
        _written(LeanDense(dense.kernel * scale, bias), after), None,
        None if np.allclose(residual_scale, 1, rtol=1e-9, atol=0) else residual_scale)


def _in_float32(value):
    """The same record or array, with its arrays in float32."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float32)
    if isinstance(value, tuple):
        return tuple(map(_in_float32, value))
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(value, **{
            field.name: _in_float32(getattr(value, field.name))
            for field in dataclasses.fields(value)})
    return value
