"""Rewrites: models that compute the same with fewer operations, or in numbers that quantize better.

Each takes a `LeanModel` and returns one that is the same function up to float32 rounding, or up to
what its docstring says. Recipes name them and apply them in order.
"""

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np

from mobilebert_tf.config import DENSE_POOLERS
from mobilebert_tf.export.lean.equalizing import fold_and_equalize
from mobilebert_tf.export.lean.lean_model import LeanModel
from mobilebert_tf.export.lean.places import Place
from mobilebert_tf.export.lean.ranges import Range
from mobilebert_tf.export.lean.weights.dense import LeanDense

# How far below the lowest logit `mask_within_logits` puts a masked one.
MASKED_BELOW = 16.0

_POOLERS_OF_THE_FIRST_TOKEN = ("first_token", "scaled_first_token", *DENSE_POOLERS)


def rewritten(model: LeanModel, names: Iterable[str],
              ranges: Mapping[Place, Range]) -> LeanModel:
    """Apply rewrites in order.

    Args:
      names: keys of `REWRITES`.
      ranges: the model's activations, from `ranges.measured` or `ranges.estimated`.
    """
    for name in names:
        model = REWRITES[name](model, ranges)
    return model


def merge_projections(model: LeanModel, ranges=None) -> LeanModel:
    """Compute projections that read the same tensor as one matmul and a split."""
    return dataclasses.replace(model, merged=True)


def cut_to_first_position(model: LeanModel, ranges=None) -> LeanModel:
    """Compute the last block's queries and feed-forwards for [CLS] alone if the head reads no other
    token."""
    return dataclasses.replace(
        model, first_position_only=model.head.pooler in _POOLERS_OF_THE_FIRST_TOKEN)


def fold_query_scale(model: LeanModel, ranges=None) -> LeanModel:
    """Multiply the query weights with 1 / sqrt(head size)."""
    def folded(block):
        query = LeanDense(block.query.kernel * np.float32(model.attention_scale),
                      block.query.bias * np.float32(model.attention_scale))
        return dataclasses.replace(block, query=query)

    return dataclasses.replace(
        model, blocks=tuple(map(folded, model.blocks)), attention_scale=None)


def mask_for_half_precision(model: LeanModel, ranges=None) -> LeanModel:
    """Limit the mask to a number that float16 holds: GPUs of phones compute in it.

    exp(-30,000) is 0 in every type, so this is exact unless logits are further apart than that.
    """
    return dataclasses.replace(model, mask_value=max(model.mask_value, -30_000.0))


def mask_within_logits(model: LeanModel, ranges: Mapping[Place, Range]) -> LeanModel:
    """Use the smallest mask that leaves padding no probability: int8 has few steps.

    The mask is the span of the logits and 16 more: a padded key has at most e^-16 of the
    probability of the best one. Source: google-research's quantization-aware MobileBERT masks with
    -6, tensorflow/models' with -120.
    """
    spans = [np.ptp([one.low, one.high]) for place, one in ranges.items()
             if place.kind == "logits"]
    return dataclasses.replace(model, mask_value=-float(max(spans) + MASKED_BELOW))


REWRITES = {function.__name__: function for function in (
    fold_and_equalize, fold_query_scale, mask_for_half_precision, mask_within_logits,
    merge_projections, cut_to_first_position)}
