"""Pooler: the kinds by hand."""

import ml_dtypes
import numpy as np
import pytest

from mobilebert_tf.layers.pooler import Pooler

STATES = np.float32([[[3, -4], [1, 1], [8, 8]], [[6, 8], [2, 0], [4, 1]]])
MASK = np.int32([[1, 1, 0], [1, 1, 1]])


def test_first_token_is_the_state_of_cls_as_it_is():
    np.testing.assert_array_equal(Pooler("first_token", 2)(STATES, MASK), [[3, -4], [6, 8]])


@pytest.mark.parametrize(("kind", "expected"), [
    ("tanh", [[-0.4621172, 0.7615942], [0.9640276, -0.9993293]]),
    ("relu", [[0, 1], [2, 0]]),
    ("relu_tanh", [[0, 0.7615942], [0.9640276, 0]])])
def test_dense_poolers_by_hand(kind, expected):
    """Dense gives (-0.5, 1) and (2, -4)."""
    pooler = Pooler(kind, 2)
    states = np.float32([[[-0.5, 1], [9, 9]], [[2, -4], [9, 9]]])
    pooler(states, MASK[:, :2])
    pooler.set_weights([np.eye(2), np.zeros(2)])
    np.testing.assert_allclose(pooler(states, MASK[:, :2]), expected, rtol=1e-6)


def test_mean_leaves_padding_out():
    np.testing.assert_allclose(Pooler("mean", 2)(STATES, MASK), [[2, -1.5], [4, 3]])


def test_mean_of_no_real_token_is_zero():
    np.testing.assert_array_equal(Pooler("mean", 2)(STATES[:1], MASK[:1] * 0), [[0, 0]])


# Means by hand, divided by their root mean square: (2, -1.5) by sqrt(3.125), (6, 8) by sqrt(50),
# (3, 0.5) by sqrt(4.625), (3, -4) by sqrt(12.5), (4, 3) by the same.
def test_segment_match_is_both_means_their_difference_and_their_product():
    types = np.int32([[0, 0, 1], [0, 1, 1]])
    found = Pooler("segment_match", 2)(STATES, np.ones_like(MASK), types)
    np.testing.assert_allclose(found, [
        [1.131371, -0.848528, 1, 1, 0.131371, 1.848528, 1.131371, -0.848528],
        [0.848528, 1.131371, 1.394972, 0.232495, 0.546444, 0.898876, 1.183673, 0.263038],
    ], rtol=1e-5)


def test_segment_match_leaves_padding_out_and_takes_later_segments_for_one():
    types = np.int32([[0, 1, 1], [0, 1, 2]])
    found = Pooler("segment_match", 2)(STATES, MASK, types)
    np.testing.assert_allclose(found, [
        [0.848528, -1.131371, 1, 1, 0.151472, 2.131371, 0.848528, -1.131371],
        [0.848528, 1.131371, 1.394972, 0.232495, 0.546444, 0.898876, 1.183673, 0.263038],
    ], rtol=1e-5)


def test_segment_match_of_one_text_alone_has_zeros_for_the_second():
    found = Pooler("segment_match", 2)(STATES, MASK, np.zeros_like(MASK))
    np.testing.assert_allclose(found, [
        [1.131371, -0.848528, 0, 0, 1.131371, 0.848528, 0, 0],
        [1.131371, 0.848528, 0, 0, 1.131371, 0.848528, 0, 0]], rtol=1e-5)


def test_scaled_first_token_has_root_mean_square_one_at_any_size():
    # sqrt((9 + 16) / 2) = 3.5355
    expected = np.array([[3, -4]]) / np.sqrt(12.5)
    for scale in (1, 1e7, 1e15):
        found = Pooler("scaled_first_token", 2)(STATES[:1] * np.float32(scale), MASK[:1])
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_scaled_first_token_is_computed_in_float32_under_mixed_bfloat16(bfloat16_policy):
    short = np.random.default_rng(1).normal(size=(4, 1, 512)).astype(ml_dtypes.bfloat16)
    short[:, 0, 0] = -2.5e7
    short[2:, 0, 0] = 1
    found = Pooler("scaled_first_token", 512)(short, np.ones((4, 1), "i4"))
    wide = short[:, 0].astype("f8")
    exact = wide / np.sqrt((wide ** 2).mean(-1, keepdims=True))
    # Rounded once, at the end: within half a step of bfloat16, 2 ** -8.
    np.testing.assert_allclose(found.numpy().astype("f8"), exact, rtol=2 ** -8 * 1.001)


def test_scaled_first_token_of_zeros_is_zero():
    np.testing.assert_array_equal(Pooler("scaled_first_token", 2)(STATES * 0, MASK),
                                  np.zeros((2, 2)))


def test_tanh_is_a_dense_layer_on_cls():
    layer = Pooler("tanh", 2)
    layer(STATES, MASK)
    layer.dense.kernel.assign([[0.1, 0.2], [0, -0.1]])
    layer.dense.bias.assign([0.05, 0])
    np.testing.assert_allclose(
        layer(STATES, MASK), np.tanh([[0.35, 1.0], [0.65, 0.4]]), rtol=1e-6)


@pytest.mark.parametrize("kind", ["first_token", "scaled_first_token", "mean", "segment_match",
                                  "tanh"])
def test_as_a_layer(run_layer_test, kind, hidden):
    mask = np.int32([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]])
    types = np.int32([[0, 0, 0, 1, 1], [0, 1, 0, 0, 0]])
    layer = run_layer_test(lambda: Pooler(kind, 6), [hidden, mask, types])
    assert len(layer.weights) == (2 if kind == "tanh" else 0)
