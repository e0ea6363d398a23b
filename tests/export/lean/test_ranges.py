"""Ranges: measured ones against the Keras model's own states, estimated ones against measured."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf.export.lean import model as lean_model
from mobilebert_tf.export.lean import ranges, rewrites
from mobilebert_tf.export.lean.ranges import Range
from mobilebert_tf.export.lean.rewrites import Coordinates
from mobilebert_tf.kinds.encoding import Encoding

from ..conftest import examples, randomize


@pytest.fixture(scope="module")
def encoders():
    return {preset: randomize(mb.Encoder(mb.presets.get(preset)))
            for preset in ("micro", "micro_bert")}


@pytest.fixture(scope="module")
def inputs():
    """More texts than are measured at a time."""
    return examples(count=21)


@pytest.fixture
def loud_padding(encoders):
    """A model of which [PAD], and nothing else, has states out of the words' ranges."""
    encoder = encoders["micro_bert"]
    before = encoder.get_weights()
    table = encoder.embedding.word_table.numpy()
    table[0] = np.arange(48) == 7
    table[0] *= 60
    encoder.embedding.word_table.assign(table)
    yield encoder
    encoder.set_weights(before)


def states_of(encoder, inputs):
    """By place, states of every token, `(batch, length, channels)`, as Keras computes them."""
    outputs = encoder({name: tf.constant(values) for name, values in inputs.items()})
    states = {"hidden_0": outputs["embedding_output"]}
    states |= {f"hidden_{index + 1}": hidden
               for index, hidden in enumerate(outputs["block_outputs"])}
    return {place: tensor.numpy() for place, tensor in states.items()}


def extremes(values, chosen):
    return values[chosen].min(axis=0), values[chosen].max(axis=0)


@pytest.mark.parametrize("preset", ["micro", "micro_bert"])
def test_streams_are_measured_at_every_real_token(preset, encoders, inputs):
    found = ranges.measured(lean_model.from_keras(encoders[preset], Encoding()), inputs)
    real = inputs["input_mask"] == 1
    for place, states in states_of(encoders[preset], inputs).items():
        low, high = extremes(states, real)
        np.testing.assert_allclose(found[place].low, low, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found[place].high, high, rtol=1e-4, atol=1e-5)


def test_padding_does_not_count(loud_padding, inputs):
    found = ranges.measured(lean_model.from_keras(loud_padding, Encoding()), inputs)["hidden_0"]
    states = states_of(loud_padding, inputs)["hidden_0"]
    real = inputs["input_mask"] == 1
    np.testing.assert_allclose(found.high, extremes(states, real)[1], rtol=1e-4, atol=1e-5)
    everywhere = extremes(states, np.ones_like(real))[1]
    assert everywhere[7] > 1.5 * found.high[7]


def test_logits_are_of_pairs_of_real_tokens(encoders, inputs):
    encoder = encoders["micro"]
    found = ranges.measured(lean_model.from_keras(encoder, Encoding()), inputs)
    real = inputs["input_mask"] == 1
    pairs = real[:, np.newaxis, :, np.newaxis] & real[:, np.newaxis, np.newaxis, :]
    outputs = encoder({name: tf.constant(values) for name, values in inputs.items()})
    for index, logits in enumerate(outputs["attention_logits"]):
        logits = logits.numpy()
        chosen = logits[np.broadcast_to(pairs, logits.shape)]
        of_block = found[f"block_{index}/logits"]
        assert of_block.low.shape == ()
        np.testing.assert_allclose([of_block.low, of_block.high], [chosen.min(), chosen.max()],
                                   rtol=1e-4)


@pytest.mark.parametrize("preset", ["micro", "micro_bert"])
def test_projections_are_measured_where_they_are(preset, encoders, inputs):
    encoder = encoders[preset]
    found = ranges.measured(lean_model.from_keras(encoder, Encoding()), inputs)
    real = inputs["input_mask"] == 1
    states = states_of(encoder, inputs)
    for index, block in enumerate(encoder.blocks):
        hidden = tf.constant(states[f"hidden_{index}"])
        inner = hidden if block.input_bottleneck is None else block.input_bottleneck(hidden)
        shared = None if block.shared_bottleneck is None else block.shared_bottleneck(hidden)
        query_key, value = block._attention_inputs(hidden, inner, shared)
        expected = {"query": block.attention.query(query_key),
                    "key": block.attention.key(query_key),
                    "value": block.attention.value(value)}
        if block.input_bottleneck is not None:
            expected |= {"inner_0": inner, "shared": query_key}
        for name, tensor in expected.items():
            low, high = extremes(tensor.numpy(), real)
            place = found[f"block_{index}/{name}"]
            np.testing.assert_allclose(place.low, low, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(place.high, high, rtol=1e-4, atol=1e-5)


def test_all_positions_are_measured_of_a_model_cut_to_the_first(encoders, inputs):
    lean = lean_model.from_keras(encoders["micro"], Encoding())
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


STREAMS_AND_PLACES = ("hidden", "block_1/inner", "block_1/shared", "block_1/value", "block_1/key",
                      "block_1/intermediate_0")


@pytest.mark.parametrize("what", STREAMS_AND_PLACES)
def test_estimates_follow_whatever_scales_a_model_has(what, encoders):
    """A channel carried at half its size, and read doubly, is estimated to be half as wide."""
    lean = lean_model.from_keras(encoders["micro"], Encoding())
    lean = dataclasses.replace(lean, head=lean_model.LeanHead("tagging", output=lean_model.Dense(
        np.ones((48, 3), np.float32), np.zeros(3, np.float32))))
    before = ranges.estimated(lean)
    places = [place for place in before if place.startswith(what)]
    scale = 10 ** np.random.default_rng(0).uniform(-2, 2, before[places[0]].radius.shape)
    changed = rewrites.change_coordinates(
        lean, {place: Coordinates(scale, np.zeros(1)) for place in places})
    after = ranges.estimated(changed)
    for place in places:
        # Not to the digit: bottlenecks have their gammas in their weights now.
        np.testing.assert_allclose(after[place].radius, before[place].radius / scale, rtol=0.1)


def test_estimates_are_in_the_relation_of_what_is_measured(encoders, inputs):
    lean = lean_model.from_keras(encoders["micro"], Encoding())
    measured, estimated = ranges.measured(lean, inputs), ranges.estimated(lean)
    # Rectified units differ by whether they are on at all, which weights do not tell.
    places = [place for place in estimated if "intermediate" not in place]
    assert len(places) > 20
    for place in places:
        ratio = estimated[place].radius / measured[place].radius
        assert np.all(np.abs(np.log(ratio / np.median(ratio))) < np.log(4)), place
