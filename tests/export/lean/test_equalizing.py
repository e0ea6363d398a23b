"""NoNorms are folded away where possible, and channels get equal ranges."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.export.lean import equalizing, places, ranges
from mobilebert_tf.export.lean import model as lean_model

from ..conftest import KINDS, examples, randomize
from .test_rewrites import CONFIGS, norms_of


def ordinary(config, kind="tagging", seed=0):
    """A model with gammas near 1, like a trained one, and its LeanModel."""
    model = randomize(KINDS[kind](mb.Encoder(CONFIGS[config])), seed)
    return model, lean_model.from_keras(model, kinds.of(model))


def residuals_scaled(lean):
    """Whether each sum multiplies its residual, which is the remainder of a NoNorm."""
    for block in lean.blocks:
        parts = [block.attention_output, *(one.output for one in block.feed_forwards),
                 block.output_bottleneck]
        yield from (part.residual_scale is not None for part in parts if part is not None)


NO_NORM = ["micro", "micro_tiny", "bert_no_norm", "ib_bert_no_norm"]


@pytest.mark.parametrize("config", NO_NORM)
def test_no_norm_is_left_of_ordinary_ones(config):
    _, lean = ordinary(config)
    for found in (ranges.measured(lean, examples()), ranges.estimated(lean)):
        folded = equalizing.fold_and_equalize(lean, found)
        assert set(norms_of(folded)) == {None}
        assert not any(residuals_scaled(folded))


@pytest.mark.parametrize(("kind", "pooler"), [
    ("encoding", "first_token"), ("embedding", "first_token"),
    ("classification", "scaled_first_token")])
def test_one_residual_is_scaled_where_the_last_states_are_given_or_normalized(kind, pooler):
    encoder = mb.Encoder(dataclasses.replace(CONFIGS["micro"], pooler=pooler))
    lean = lean_model.from_keras(randomize(KINDS[kind](encoder)), kinds.get(kind)())
    folded = equalizing.fold_and_equalize(lean, ranges.measured(lean, examples()))
    assert set(norms_of(folded)) == {None}
    *before, last = residuals_scaled(folded)
    assert last
    assert not any(before)


def unequal(config, seed=0):
    """A model in which some channels have 10,000 times the range of others, at every place."""
    model, _ = ordinary(config)
    random = np.random.default_rng(seed)
    for variable in model.encoder.variables:
        if "gamma" in variable.name or "intermediate" in variable.name or "value" in variable.name:
            variable.assign(variable * 10 ** random.uniform(-2, 2, variable.shape[-1:]))
    return lean_model.from_keras(model, kinds.of(model))


def inequalities(found):
    """The widest range divided by the narrowest above 0, for every place with channels."""
    radii = {place: one.radius[one.radius > 0] for place, one in found.items() if one.low.ndim}
    return {place: radius.max() / radius.min() for place, radius in radii.items()}


def equalized(lean):
    return inequalities(ranges.measured(equalizing.fold_and_equalize(
        lean, ranges.measured(lean, examples())), examples()))


@pytest.mark.parametrize("config", NO_NORM)
def test_channels_get_ranges_within_a_factor(config):
    lean = unequal(config)
    before, after = inequalities(ranges.measured(lean, examples())), equalized(lean)
    assert before.keys() == after.keys()
    for place, ratio in after.items():
        if place.kind in ("query", "key"):  # one scale for both: they share the rest
            continue
        assert before[place] > 1e3, place
        # Scales between dense layers are free; NoNorms tie those along a stream to each other.
        assert ratio < (1.01 if place.kind in ("value", "shared", "intermediate") else 65), place


def test_queries_and_keys_get_equal_ranges():
    lean = unequal("micro")
    after = ranges.measured(equalizing.fold_and_equalize(
        lean, ranges.measured(lean, examples())), examples())
    for index in (0, 1):
        np.testing.assert_allclose(after[places.query(index)].radius,
                                   after[places.key(index)].radius, rtol=1e-3)


@pytest.mark.parametrize(("name", "wrong"), [
    ("_is_unequal", lambda segment, ranges_: False),
    ("_start", lambda segment, ranges_: np.ones(1))])
def test_streams_equalized_wrongly_show(name, wrong, monkeypatch):
    lean = unequal("micro")
    monkeypatch.setattr(equalizing, name, wrong)
    assert max(ratio for place, ratio in equalized(lean).items()
               if place.kind in ("hidden", "inner")) > 200


def test_a_channel_that_hardly_moves_is_not_scaled_up():
    low, high = np.array([-2.0, 0.0, 0.0, 0.0]), np.array([2.0, 4.0, 1e-5, 0.0])
    assert equalizing._radius(ranges.Range(low, high)).tolist() == [2.0, 2.0, 2.0, 2.0]
    high[2] = 1e-2
    assert equalizing._radius(ranges.Range(low, high)).tolist() == [2.0, 2.0, 5e-3, 2.0]
