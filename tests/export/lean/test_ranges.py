"""Measured ranges equal those of the Keras model's states; estimated ones are near them."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf.export.lean import coordinates, places, ranges
from mobilebert_tf.export.lean.coordinates import Coordinates
from mobilebert_tf.export.lean.from_keras import from_keras
from mobilebert_tf.export.lean.ranges import Range
from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.lean_head import LeanHead
from mobilebert_tf.kinds.encoding import Encoding
from mobilebert_tf.kinds.tagging import Tagging

from ..conftest import examples, randomize


@pytest.fixture(scope="module")
def encoders():
    return {preset: randomize(mb.Encoder(mb.presets.get(preset)))
            for preset in ("micro", "micro_bert")}


@pytest.fixture(scope="module")
def inputs():
    """More texts than one batch of the measurement."""
    return examples(count=21)


@pytest.fixture
def loud_padding(encoders):
    """A model in which only [PAD] has states outside the ranges of the words."""
    encoder = encoders["micro_bert"]
    before = encoder.get_weights()
    table = encoder.embedding.word_table.numpy()
    table[0] = np.arange(48) == 7
    table[0] *= 60
    encoder.embedding.word_table.assign(table)
    yield encoder
    encoder.set_weights(before)


def states_of(encoder, inputs):
    """The Keras model's states `(batch, length, channels)`, by place."""
    outputs = encoder({name: tf.constant(values) for name, values in inputs.items()})
    states = {places.hidden(0): outputs["embedding_output"]}
    states |= {places.hidden(index + 1): hidden
               for index, hidden in enumerate(outputs["block_outputs"])}
    return {place: tensor.numpy() for place, tensor in states.items()}


def extremes(values, chosen):
    return values[chosen].min(axis=0), values[chosen].max(axis=0)


@pytest.mark.parametrize("preset", ["micro", "micro_bert"])
def test_streams_are_measured_at_every_real_token(preset, encoders, inputs):
    found = ranges.measured(from_keras(encoders[preset], Encoding()), inputs)
    real = inputs["input_mask"] == 1
    for place, states in states_of(encoders[preset], inputs).items():
        low, high = extremes(states, real)
        np.testing.assert_allclose(found[place].low, low, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found[place].high, high, rtol=1e-4, atol=1e-5)


def test_padding_does_not_count(loud_padding, inputs):
    place = places.hidden(0)
    found = ranges.measured(from_keras(loud_padding, Encoding()), inputs)[place]
    states = states_of(loud_padding, inputs)[place]
    real = inputs["input_mask"] == 1
    np.testing.assert_allclose(found.high, extremes(states, real)[1], rtol=1e-4, atol=1e-5)
    everywhere = extremes(states, np.ones_like(real))[1]
    assert everywhere[7] > 1.5 * found.high[7]


def test_logits_are_of_pairs_of_real_tokens(encoders, inputs):
    encoder = encoders["micro"]
    found = ranges.measured(from_keras(encoder, Encoding()), inputs)
    real = inputs["input_mask"] == 1
    pairs = real[:, np.newaxis, :, np.newaxis] & real[:, np.newaxis, np.newaxis, :]
    outputs = encoder({name: tf.constant(values) for name, values in inputs.items()})
    for index, logits in enumerate(outputs["attention_logits"]):
        logits = logits.numpy()
        chosen = logits[np.broadcast_to(pairs, logits.shape)]
        of_block = found[places.logits(index)]
        assert of_block.low.shape == ()
        np.testing.assert_allclose([of_block.low, of_block.high], [chosen.min(), chosen.max()],
                                   rtol=1e-4)


@pytest.mark.parametrize("preset", ["micro", "micro_bert"])
def test_projections_are_measured_where_they_are(preset, encoders, inputs):
    encoder = encoders[preset]
    found = ranges.measured(from_keras(encoder, Encoding()), inputs)
    real = inputs["input_mask"] == 1
    states = states_of(encoder, inputs)
    for index, block in enumerate(encoder.blocks):
        hidden = tf.constant(states[places.hidden(index)])
        inner = hidden if block.input_bottleneck is None else block.input_bottleneck(hidden)
        shared = None if block.shared_bottleneck is None else block.shared_bottleneck(hidden)
        query_key, value = block._attention_inputs(hidden, inner, shared)
        expected = {places.query(index): block.attention.query(query_key),
                    places.key(index): block.attention.key(query_key),
                    places.value(index): block.attention.value(value)}
        if block.input_bottleneck is not None:
            expected |= {places.inner(index, 0): inner, places.shared(index): query_key}
        for place, tensor in expected.items():
            low, high = extremes(tensor.numpy(), real)
            np.testing.assert_allclose(found[place].low, low, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(found[place].high, high, rtol=1e-4, atol=1e-5)


def test_all_positions_are_measured_of_a_model_cut_to_the_first(encoders, inputs):
    lean = from_keras(encoders["micro"], Encoding())
    cut = dataclasses.replace(lean, first_position_only=True)
    assert_equal(ranges.measured(cut, inputs), ranges.measured(lean, inputs))


def assert_equal(found, expected):
    assert found.keys() == expected.keys()
    for place, one in expected.items():
        np.testing.assert_array_equal(found[place].low, one.low)
        np.testing.assert_array_equal(found[place].high, one.high)


def test_center_and_radius():
    one = Range(np.array([-1.0, 2.0]), np.array([3.0, 2.5]))
    np.testing.assert_array_equal(one.center, [1, 2.25])
    np.testing.assert_array_equal(one.radius, [2, 0.25])


STREAMS_AND_PLACES = ("hidden_", "block_1/inner_", "block_1/shared", "block_1/value",
                      "block_1/key", "block_1/intermediate_0")


@pytest.mark.parametrize("what", STREAMS_AND_PLACES)
def test_estimates_follow_whatever_scales_a_model_has(what, encoders):
    """A channel at half its size, read with doubled weights, is estimated half as wide."""
    lean = from_keras(encoders["micro"], Encoding())
    lean = dataclasses.replace(lean, head=LeanHead(Tagging(), output=LeanDense(
        np.ones((48, 3), np.float32), np.zeros(3, np.float32))))
    before = ranges.estimated(lean)
    chosen = [place for place in before if str(place).startswith(what)]
    scale = 10 ** np.random.default_rng(0).uniform(-2, 2, before[chosen[0]].radius.shape)
    changed = coordinates.change(
        lean, {place: Coordinates(scale, np.zeros(1)) for place in chosen})
    after = ranges.estimated(changed)
    for place in chosen:
        # Not exactly: the weights of bottlenecks include their gammas now.
        np.testing.assert_allclose(after[place].radius, before[place].radius / scale, rtol=0.1)


def test_estimates_are_in_the_relation_of_what_is_measured(encoders, inputs):
    lean = from_keras(encoders["micro"], Encoding())
    measured, estimated = ranges.measured(lean, inputs), ranges.estimated(lean)
    # Weights do not tell how often a rectified unit is on.
    compared = [place for place in estimated if place.kind != "intermediate"]
    assert len(compared) > 20
    for place in compared:
        ratio = estimated[place].radius / measured[place].radius
        assert np.all(np.abs(np.log(ratio / np.median(ratio))) < np.log(4)), place
