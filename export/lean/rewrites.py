"""Rewrites: models that compute the same with less, or with numbers that quantize better.

Each takes a `LeanModel` and returns one that is the same function, up to float32 rounding. They
are named in recipes and applied in order.

What makes most of them possible is that NoNorm, unlike LayerNorm, commutes with a change of scale
and origin, channel by channel. At every place where activations h are read and written by dense
layers (the residual streams, and what stands between two dense layers), h may be carried as u with

    h = scale * u + shift

when what writes it divides by the scale and what reads it multiplies with it. The scale that a
residual stream has after a NoNorm is free: if it is gamma times the one before, nothing is left
of the NoNorm. And the scale that it starts with can be such that no channel dwarfs the others.
"""

import dataclasses
from collections.abc import Mapping

import numpy as np

from mobilebert_tf.export.lean.model import (
    Affine,
    Block,
    Dense,
    DenseNorm,
    FeedForward,
    LayerNorm,
    LeanModel,
)
from mobilebert_tf.export.lean.ranges import Range

# A NoNorm goes where the channels of the stream, in the coordinates that this gives, have ranges
# within this factor of each other; else the residual is multiplied, and all are 1 again.
_MOST_UNEQUAL = 64.0
# Below, a channel is taken as not used: its scale would be noise.
_LEAST_OF_TYPICAL = 1e-12
# A NoNorm with a smaller gamma all but sets a channel to beta: its residual goes, not its scale.
_LEAST_GAMMA = 1e-3

_OF_THE_FIRST_TOKEN = ("first_token", "scaled_first_token", "tanh")

# How far below the least logit a masked one is to be.
MASKED_BELOW = 16.0
HIDDEN = "hidden_{}"  # the stream between blocks: the embedding, then each block's output


@dataclasses.dataclass(frozen=True)
class Coordinates:
    """How activations h are carried at a place: h = scale * u + shift, `(channels,)`; no scale
    is 0."""

    scale: np.ndarray
    shift: np.ndarray


_SAME = Coordinates(np.ones(1), np.zeros(1))


def rewritten(model: LeanModel, names, ranges: Mapping[str, Range]) -> LeanModel:
    """Applies rewrites in order.

    Args:
      names: of functions here.
      ranges: the model's activations, from `ranges.measured` or `ranges.estimated`.
    """
    for name in names:
        model = REWRITES[name](model, ranges)
    return model


def merge_projections(model: LeanModel, ranges=None) -> LeanModel:
    """Projections that read the same tensor as one matmul and a split."""
    return dataclasses.replace(model, merged=True)


def cut_to_first_position(model: LeanModel, ranges=None) -> LeanModel:
    """The last block's queries and feed-forwards for [CLS] alone, where the head reads no other."""
    return dataclasses.replace(
        model, first_position_only=model.head.pooler in _OF_THE_FIRST_TOKEN)


def fold_query_scale(model: LeanModel, ranges=None) -> LeanModel:
    """1 / sqrt(head size) in the query weights."""
    def folded(block):
        query = Dense(block.query.kernel * np.float32(model.attention_scale),
                      block.query.bias * np.float32(model.attention_scale))
        return dataclasses.replace(block, query=query)

    return dataclasses.replace(
        model, blocks=tuple(map(folded, model.blocks)), attention_scale=None)


def mask_for_half_precision(model: LeanModel, ranges=None) -> LeanModel:
    """A mask that float16 holds, as phones' GPUs compute in it.

    exp(-30,000) is 0 in every type, so it is exact unless logits are further apart than that.
    """
    return dataclasses.replace(model, mask_value=max(model.mask_value, -30_000.0))


def mask_within_logits(model: LeanModel, ranges: Mapping[str, Range]) -> LeanModel:
    """The smallest mask that still leaves padding no probability: what int8 has steps for.

    Source: google-research's quantization-aware MobileBERT masks with -6, tensorflow/models' with
    -120. Here it is as much as the logits span, and 16 more: a padded key has at most e^-16 of
    the probability of the best one.
    """
    spans = [np.ptp([ranges[place].low, ranges[place].high])
             for place in ranges if place.endswith("/logits")]
    return dataclasses.replace(model, mask_value=-float(max(spans) + MASKED_BELOW))


def fold_and_equalize(model: LeanModel, ranges: Mapping[str, Range]) -> LeanModel:
    """As few NoNorms as can be, and channels of equal range wherever their scale is free.

    A model with LayerNorms keeps them; its attention and, with ReLU, its feed-forwards have free
    scales too.

    Args:
      ranges: of the activations, by place.
    """
    return change_coordinates(model, _choose(model, ranges))


def change_coordinates(model: LeanModel, places: Mapping[str, Coordinates]) -> LeanModel:
    """The model with its activations carried in other coordinates.

    Args:
      places: `Coordinates` by place: `hidden_I` (0 for the embedding, then a block's output) and
        `block_I/` with `inner_J` (the stream inside bottlenecks: 0 at the start, then after
        attention and every feed-forward), `shared` (the shared bottleneck), `value`, `key`,
        `intermediate_J` (inside a feed-forward: positive scales, no shift). Those left out stay,
        and what a LayerNorm writes has to.
    """
    at = _Lookup(model.config, places)
    hidden = at(HIDDEN.format(0))
    blocks = []
    for index, block in enumerate(model.blocks):
        blocks.append(_block(block, model.config.attention_input, index, at))
        hidden = at(HIDDEN.format(index + 1))
    return dataclasses.replace(
        model, embedding=_embedding(model.embedding, at(HIDDEN.format(0))), blocks=tuple(blocks),
        head=_head(model.head, hidden))


class _Lookup:
    def __init__(self, config, places):
        self._config, self._places = config, places

    def __call__(self, place):
        return self._places.get(place, _SAME)

    def inner(self, index, number):
        return self(inner_place(self._config, index, number))


def inner_place(config, index, number):
    """The name of a place in a block's inner stream; the outer one's where they are the same."""
    if config.bottleneck_size is None and number == 0:
        return HIDDEN.format(index)
    if config.bottleneck_size is None and number == config.num_feed_forwards + 1:
        return HIDDEN.format(index + 1)
    return f"block_{index}/inner_{number}"


def _embedding(embedding, after):
    if isinstance(embedding.norm, LayerNorm):
        return embedding
    gain, shift = embedding.norm.scale / after.scale, embedding.norm.shift
    words, positions, types, projection = (
        embedding.word_table, embedding.position_table, embedding.type_table, embedding.projection)
    if projection is None:
        words = words * gain
    else:
        projection = Dense(projection.kernel * gain, projection.bias * gain)
    return _in_float32(dataclasses.replace(
        embedding, word_table=words, projection=projection, norm=None,
        position_table=positions * gain + (shift - after.shift) / after.scale,
        type_table=None if types is None else types * gain))


def _block(block, attention_input, index, at):
    hidden, after = at(HIDDEN.format(index)), at(HIDDEN.format(index + 1))
    shared, value, key = (at(f"block_{index}/{place}") for place in ("shared", "value", "key"))
    first = inner = at.inner(index, 0)
    query_key_read, value_read = {
        "block_input": (hidden, hidden), "shared_bottleneck": (shared, hidden),
        "bottleneck": (first, first)}[attention_input]
    query = _read(block.query, query_key_read)
    attention_output, inner = _added(
        _read(block.attention_output.dense, value), block.attention_output.norm,
        inner, at.inner(index, 1)), at.inner(index, 1)
    feed_forwards = []
    for number, one in enumerate(block.feed_forwards):
        middle = at(f"block_{index}/intermediate_{number}")
        written = at.inner(index, number + 2)
        feed_forwards.append(FeedForward(
            _written(_read(one.intermediate, inner), middle),
            _added(_read(one.output.dense, middle), one.output.norm, inner, written)))
        inner = written
    return _in_float32(Block(
        input_bottleneck=_bottleneck(block.input_bottleneck, hidden, first),
        shared_bottleneck=_bottleneck(block.shared_bottleneck, hidden, shared),
        # q . (scale * k + shift): the first factor goes to the queries; the second adds the same
        # to all logits of a query, which the softmax takes out.
        query=Dense(query.kernel * key.scale, query.bias * key.scale),
        key=_written(_read(block.key, query_key_read), key),
        # Probabilities sum to 1, so the context has the value's coordinates.
        value=_written(_read(block.value, value_read), value),
        attention_output=attention_output, feed_forwards=tuple(feed_forwards),
        output_bottleneck=None if block.output_bottleneck is None else _added(
            _read(block.output_bottleneck.dense, inner), block.output_bottleneck.norm,
            hidden, after)))


def _head(head, hidden):
    if not head.is_linear:
        return head if hidden is _SAME else dataclasses.replace(
            head, input_norm=_in_float32(Affine(hidden.scale, hidden.shift)))
    name = "output" if head.hidden is None else "hidden"
    return _in_float32(dataclasses.replace(head, **{name: _read(getattr(head, name), hidden)}))


def _read(dense, before):
    """A dense that reads what is carried in the coordinates `before`."""
    kernel = dense.kernel.astype(np.float64)
    shift = np.broadcast_to(before.shift, kernel.shape[:1])
    return Dense(np.expand_dims(before.scale, -1) * kernel, dense.bias + shift @ kernel)


def _written(dense, after):
    """A dense that writes what is carried in the coordinates `after`."""
    return Dense(dense.kernel / after.scale, (dense.bias - after.shift) / after.scale)


def _bottleneck(dense_norm, before, after):
    if dense_norm is None:
        return None
    dense, norm = _read(dense_norm.dense, before), dense_norm.norm
    if isinstance(norm, LayerNorm):
        return DenseNorm(dense, norm)
    return DenseNorm(_written(Dense(
        dense.kernel * norm.scale, dense.bias * norm.scale + norm.shift), after), None)


def _added(dense, norm, before, after):
    """The dense of norm(dense + residual), with a residual in `before` and the result in `after`.

    With y what the dense gave, norm.scale * (y + before.scale * u + before.shift) + norm.shift is
    split between the dense and the residual u: what remains to be multiplied with u is 1 where
    the norm is folded away. Where it is not, u is multiplied before the sum, not the sum after:
    both parts of it then have the ranges of the result.
    """
    if isinstance(norm, LayerNorm):
        return DenseNorm(dense, norm)
    scale = norm.scale.astype(np.float64)
    bias = scale * (dense.bias + before.shift) + norm.shift
    residual_scale = scale * before.scale / after.scale
    return DenseNorm(
        _written(Dense(dense.kernel * scale, bias), after), None,
        None if np.allclose(residual_scale, 1, rtol=1e-9, atol=0) else residual_scale)


def _in_float32(value):
    """The same record, or array, with its arrays in float32."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float32)
    if isinstance(value, tuple):
        return tuple(map(_in_float32, value))
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(value, **{
            field.name: _in_float32(getattr(value, field.name))
            for field in dataclasses.fields(value)})
    return value


def _choose(model, ranges) -> dict[str, Coordinates]:
    """Coordinates in which no NoNorm is left, where that can be, and channels have equal ranges."""
    config = model.config
    places = {}
    is_no_norm = isinstance(model.embedding.norm, Affine)
    outer = [(HIDDEN.format(0), None)]
    for index, block in enumerate(model.blocks):
        norms = [block.attention_output.norm, *(one.output.norm for one in block.feed_forwards)]
        inner = [(inner_place(config, index, number), norm)
                 for number, norm in enumerate([None, *norms])]
        if config.bottleneck_size is None:
            outer += inner[1:]
        else:
            outer.append((HIDDEN.format(index + 1), block.output_bottleneck.norm))
            if is_no_norm:
                places |= _along(inner, ranges)
        name = f"block_{index}"
        if is_no_norm and block.shared_bottleneck is not None:
            shared = ranges[f"{name}/shared"]
            places[f"{name}/shared"] = Coordinates(_radius(shared), _center(shared, np.zeros(1)))
        value = ranges[f"{name}/value"]
        places[f"{name}/value"] = Coordinates(_radius(value), _center(value, block.value.bias))
        # Keys share their scale with queries: the square root gives both the same ranges.
        key, query = ranges[f"{name}/key"], ranges[f"{name}/query"]
        places[f"{name}/key"] = Coordinates(
            np.sqrt(_radius(key) / _radius(query)), _center(key, block.key.bias))
        if config.activation == "relu":
            for number in range(config.num_feed_forwards):
                place = f"{name}/intermediate_{number}"
                places[place] = Coordinates(_radius(ranges[place]), np.zeros(1))
    if is_no_norm:
        last, _ = outer[-1]
        places |= _along(outer, ranges)
        if not model.head.is_linear:
            del places[last]
        elif model.head.pooler == "mean":
            # A text without a token has the mean 0, not the shift.
            places[last] = _with_shift_of_zero(places[last])
    return places


def _along(steps, ranges):
    """Coordinates along a residual stream, by place.

    Args:
      steps: (place, the NoNorm that writes it), the first's None: no residual comes there.
    """
    scales = {}
    shift = np.zeros(1)
    shifts = {steps[0][0]: _center(ranges[steps[0][0]], shift)}
    segment = [(steps[0][0], 1.0)]  # places, with the product of the gammas since the first
    for place, norm in steps[1:]:
        scale = norm.scale.astype(np.float64)
        # What the NoNorm makes of the shift before it: then no bias changes.
        shifts[place] = shift = _center(ranges[place], scale * shift + norm.shift)
        longer = [*segment, (place, segment[-1][1] * scale)]
        if np.any(np.abs(scale) < _LEAST_GAMMA) or _is_unequal(longer, ranges):
            scales |= _in_segment(segment, ranges)
            segment = [(place, 1.0)]
        else:
            segment = longer
    scales |= _in_segment(segment, ranges)
    return {place: Coordinates(scales[place], shifts[place]) for place in scales}


def _start(segment, ranges):
    """The scale at a segment's start: then its channels' ranges have a geometric mean of 1."""
    return np.exp(np.mean([np.log(_radius(ranges[place]) / np.abs(gain))
                           for place, gain in segment], axis=0))


def _is_unequal(segment, ranges):
    start = _start(segment, ranges)
    carried = (_radius(ranges[place]) / np.abs(start * gain) for place, gain in segment)
    return any(radius.max() > _MOST_UNEQUAL * radius.min() for radius in carried)


def _in_segment(segment, ranges):
    """The scale at each place of a segment, along which no NoNorm is left."""
    start = _start(segment, ranges)
    return {place: start * gain for place, gain in segment}


def _center(range_, otherwise):
    return range_.center if range_.has_center else otherwise


def _with_shift_of_zero(coordinates):
    return Coordinates(coordinates.scale, np.zeros_like(coordinates.shift))


def _radius(range_):
    """Half the width of each channel's range; of one that does not move, the typical one."""
    radius = range_.radius
    moving = radius[radius > 0]
    typical = np.median(moving) if moving.size else 1.0
    return np.where(radius < _LEAST_OF_TYPICAL * typical, typical, radius)


REWRITES = {function.__name__: function for function in (
    fold_and_equalize, fold_query_scale, mask_for_half_precision, mask_within_logits,
    merge_projections, cut_to_first_position)}
