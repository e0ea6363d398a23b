"""NoNorms are folded away where possible, and channels get equal ranges."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import kinds
from mobilebert_tf.export.lean import equalizing, places, ranges
from mobilebert_tf.export.lean.from_keras import from_keras

from ..conftest import KINDS, examples, randomize
from .test_rewrites import CONFIGS, norms_of


def ordinary(config, kind="tagging", seed=0):
    """A model with gammas near 1, like a trained one, and its LeanModel."""
    model = randomize(KINDS[kind](mb.Encoder(CONFIGS[config])), seed)
    return model, from_keras(model, kinds.of(model))


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
    lean = from_keras(randomize(KINDS[kind](encoder)), kinds.get(kind)())
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
    return from_keras(model, kinds.of(model))


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


def test_a_channel_that_relu_nearly_stops_is_not_scaled_up_too_far():
    kernel = np.array([[2.0, 127.0], [-3.0, 0.5]])
    read = ranges.Range(np.array([-4.0, -6.0]), np.array([4.0, 2.0]))
    carried = equalizing.Coordinates(np.array([2.0, 0.5]), np.array([0.0, -2.0]))
    # Carried, the inputs reach 2 and 8; the largest weights are 4 and 254.
    np.testing.assert_allclose(equalizing._least_scale(kernel, read, carried),
                               [8 * 4 / 127 / 128, 8 * 254 / 127 / 128], rtol=1e-12)


def test_xnnpack_opens_the_file_of_a_model_with_channels_that_relu_nearly_stops():
    model, lean = ordinary("micro", "classification")
    inputs = examples()
    place = places.intermediate(0, 0)
    high = ranges.measured(lean, inputs)[place].high
    bias = model.encoder.blocks[0].feed_forwards[0].intermediate.bias
    # What ReLU leaves of every second channel is a millionth of what was left.
    bias.assign(np.where(np.arange(len(high)) % 2, bias - high * (1 - 1e-6), bias))
    found = ranges.measured(from_keras(model, kinds.of(model)), inputs)[place]
    stopped = found.high[1::2][high[1::2] > 0]
    assert 0 < np.median(stopped) < 1e-4 * np.median(found.high[::2])
    mb.export.to_tflite(model, "int8", (inputs["input_word_ids"].shape[1],), calibration=inputs,
                        kind=kinds.of(model))
