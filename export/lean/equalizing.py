"""Equalizing: fold NoNorms into the dense layers and give channels equal ranges.

The scale of a residual stream after a NoNorm is free. If it is gamma times the scale before,
nothing is left of the NoNorm. The scale at the start of the stream is free too: it is chosen so
that no channel has a much wider range than the others.
"""

from collections.abc import Mapping

import numpy as np

from mobilebert_tf.export.lean import coordinates, places
from mobilebert_tf.export.lean.coordinates import Coordinates
from mobilebert_tf.export.lean.lean_model import LeanModel
from mobilebert_tf.export.lean.ranges import Range
from mobilebert_tf.export.lean.weights.affine import Affine

# A NoNorm is folded away where it leaves the channels' ranges within this factor of each other.
# Elsewhere the residual is multiplied, and all ranges are equal again.
_MOST_UNEQUAL = 64.0
# A channel with a smaller part of the typical range is not used: its scale would be noise.
_LEAST_OF_TYPICAL = 1e-12
# XNNPACK opens no int8 file in which a dense layer multiplies its sums by 256 or more. That happens
# where ReLU leaves hardly anything of a channel: scaled to the others' range, its weights are huge.
_LARGEST_MULTIPLIER = 128.0
# A NoNorm with a smaller gamma sets a channel to beta: nearly nothing is left of the residual.
_LEAST_GAMMA = 1e-3


def fold_and_equalize(model: LeanModel, ranges: Mapping[places.Place, Range]) -> LeanModel:
    """Fold away NoNorms where possible and give channels equal ranges where scales are free.

    A model with LayerNorms keeps them. The scales inside its attention and, with ReLU, inside its
    feed-forwards are free too.

    Args:
      ranges: the model's activations by place.
    """
    return coordinates.change(model, _choose(model, ranges))


def _choose(model, ranges) -> dict[places.Place, Coordinates]:
    is_no_norm = isinstance(model.embedding.norm, Affine)
    chosen, outer = {}, [(places.hidden(0), None)]
    for index, block in enumerate(model.blocks):
        inner = _inner_stream(model.config, block, index)
        if block.output_bottleneck is None:
            outer += inner[1:]
        else:
            outer.append((places.hidden(index + 1), block.output_bottleneck.norm))
            if is_no_norm:
                chosen |= _along(inner, ranges)
        chosen |= _in_attention(block, index, ranges)
        if is_no_norm and block.shared_bottleneck is not None:
            place = places.shared(index)
            chosen[place] = Coordinates(_radius(ranges[place]), _center(ranges[place], np.zeros(1)))
    if is_no_norm:
        last, _ = outer[-1]
        chosen |= _along(outer, ranges)
        if not model.head.is_linear:
            del chosen[last]
        elif model.head.pooler == "mean":
            # The mean over a text without tokens is 0, not the shift.
            chosen[last] = _with_shift_of_zero(chosen[last])
    if model.config.activation == "relu":
        chosen |= _in_feed_forwards(model, chosen, ranges)
    return chosen


def _inner_stream(config, block, index):
    """(place, the norm that writes it) along the stream inside a block."""
    norms = [None, block.attention_output.norm, *(one.output.norm for one in block.feed_forwards)]
    return [(places.in_stream(config, index, number), norm) for number, norm in enumerate(norms)]


def _in_attention(block, index, ranges):
    """Coordinates of the keys and the values of a block, by place."""
    key, value = places.key(index), places.value(index)
    return {
        value: Coordinates(_radius(ranges[value]), _center(ranges[value], block.value.bias)),
        # Queries take the inverse scale of the keys: the square root gives both equal ranges.
        key: Coordinates(np.sqrt(_radius(ranges[key]) / _radius(ranges[places.query(index)])),
                         _center(ranges[key], block.key.bias))}


def _in_feed_forwards(model, streams, ranges):
    """Coordinates inside the feed-forwards of all blocks, by place.

    Args:
      streams: the coordinates of the places that the feed-forwards read.
    """
    chosen = {}
    for index, block in enumerate(model.blocks):
        for number, one in enumerate(block.feed_forwards):
            place = places.intermediate(index, number)
            scale = _radius(ranges[place])
            if ranges[place].has_center:  # the unit of estimated widths is not known
                read = places.in_stream(model.config, index, number + 1)
                scale = np.maximum(scale, _least_scale(
                    one.intermediate.kernel, ranges[read], streams.get(read, coordinates.SAME)))
            chosen[place] = Coordinates(scale, np.zeros(1))
    return chosen


def _least_scale(kernel, read, carried):
    """Return the scale of each unit with which its int8 multiplier is the largest allowed one.

    A multiplier is the input's step, times the step of the unit's weights, over the output's step.
    The input's step is 2 * reach / 255. The weights' step is the unit's largest weight / 127. The
    output's step is 2 / 255, because the units fill [0, 2]. They do not if ReLU stops all units of
    the layer; then no scale helps.

    Args:
      kernel: `(features in, units)`.
      read: the range of what the layer reads.
      carried: the coordinates of that.
    """
    reach = np.max(np.abs((np.stack([read.low, read.high]) - carried.shift) / carried.scale))
    largest = np.max(np.abs(kernel * carried.scale[:, np.newaxis]), axis=0)
    return reach * largest / 127 / _LARGEST_MULTIPLIER


def _along(stream, ranges):
    """Coordinates along a residual stream, by place.

    Args:
      stream: (place, the NoNorm that writes it) in order; None for the first place.
    """
    scales = {}
    shift = np.zeros(1)
    shifts = {stream[0][0]: _center(ranges[stream[0][0]], shift)}
    segment = [(stream[0][0], 1.0)]  # places, with the product of the gammas since the first
    for place, norm in stream[1:]:
        scale = norm.scale.astype(np.float64)
        # Otherwise the shift that the NoNorm makes of the one before it: then no bias changes.
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
    """The scale at the start of a segment: it makes the geometric mean of each channel's ranges 1.
    """
    return np.exp(np.mean([np.log(_radius(ranges[place]) / np.abs(gain))
                           for place, gain in segment], axis=0))


def _is_unequal(segment, ranges):
    start = _start(segment, ranges)
    carried = (_radius(ranges[place]) / np.abs(start * gain) for place, gain in segment)
    return any(radius.max() > _MOST_UNEQUAL * radius.min() for radius in carried)


def _in_segment(segment, ranges):
    """The scale at each place of a segment, in which every NoNorm folds away."""
    start = _start(segment, ranges)
    return {place: start * gain for place, gain in segment}


def _center(range_, otherwise):
    return range_.center if range_.has_center else otherwise


def _with_shift_of_zero(carried):
    return Coordinates(carried.scale, np.zeros_like(carried.shift))


def _radius(range_):
    """Half the width of each channel's range; the typical one for a channel that does not move."""
    radius = range_.radius
    moving = radius[radius > 0]
    typical = np.median(moving) if moving.size else 1.0
    return np.where(radius < _LEAST_OF_TYPICAL * typical, typical, radius)
