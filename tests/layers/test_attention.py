"""SelfAttention by hand for two tokens, and what its three outputs are."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.layers.attention import SelfAttention

NO_MASK = np.zeros((1, 1, 1, 2), "f4")


@pytest.fixture
def layer():
    """Two heads of one feature; queries and keys read two features, values three."""
    layer = SelfAttention(2, 2)
    layer(np.zeros((1, 2, 2), "f4"), np.zeros((1, 2, 3), "f4"), NO_MASK)
    layer.query.kernel.assign([[1, 0], [0, 2]])
    layer.query.bias.assign([0, 1])
    layer.key.kernel.assign([[1, 1], [0, 1]])
    layer.value.kernel.assign([[1, 0], [0, 10], [0, 0]])
    layer.value.bias.assign([0, 5])
    return layer


QUERY_KEY = np.float32([[[1, 0], [0, 1]]])
VALUE = np.float32([[[2, 3, 99], [4, 7, 99]]])


def test_two_tokens_by_hand(layer):
    # Head 0 reads column 0: q = [1, 0], k = [1, 0]. Head 1 column 1: q = [1, 3], k = [1, 1].
    context, logits, probabilities = layer(QUERY_KEY, VALUE, NO_MASK)
    np.testing.assert_allclose(logits, [[[[1, 0], [0, 0]], [[1, 1], [3, 3]]]])
    sure, unsure = np.e / (np.e + 1), 1 / (np.e + 1)
    np.testing.assert_allclose(
        probabilities, [[[[sure, unsure], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]]], rtol=1e-6)
    # v of head 0 = [2, 4], of head 1 = [35, 75].
    np.testing.assert_allclose(context, [[[2 * sure + 4 * unsure, 55], [3, 55]]], rtol=1e-6)


def test_logits_are_scaled_by_the_root_of_the_head_size():
    layer = SelfAttention(1, 4)
    ones = np.ones((1, 2, 1), "f4")
    layer(ones, ones, NO_MASK)
    layer.query.kernel.assign(np.ones((1, 4)))
    layer.key.kernel.assign(np.ones((1, 4)))
    np.testing.assert_allclose(layer(ones, ones, NO_MASK)[1], np.full((1, 1, 2, 2), 2))  # 4 / 2


def test_the_mask_is_added_to_the_logits_of_keys(layer):
    mask = np.float32([[[[0, -1e30]]]])
    context, logits, probabilities = layer(QUERY_KEY, VALUE, mask)
    assert (logits.numpy()[..., 1] < -1e29).all()
    np.testing.assert_array_equal(probabilities.numpy()[..., 1], np.zeros((1, 2, 2)))
    np.testing.assert_allclose(context, [[[2, 35], [2, 35]]])


def test_dropout_is_on_the_probabilities_used_and_not_on_those_shown():
    layer = SelfAttention(1, 1, dropout=0.25)
    ones, mask = np.ones((1, 2000, 1), "f4"), np.zeros((1, 1, 1, 2000), "f4")
    layer(ones, ones, mask)
    for dense in (layer.query, layer.key):
        dense.kernel.assign([[0]])
    layer.value.kernel.assign([[1]])
    context, _, probabilities = layer(ones, ones, mask, training=True)
    np.testing.assert_allclose(probabilities, np.full((1, 1, 2000, 2000), 1 / 2000), rtol=1e-5)
    # Each of 2000 contexts is a sum of 2000 terms that are 0 or 1 / 1500. Their mean is within five
    # of its standard deviations, 0.0129 / sqrt(2000) each.
    assert 0.9985 < context.numpy().mean() < 1.0015
    assert 0.005 < context.numpy().std() < 0.03  # sqrt(0.25 * 0.75 * 2000) / 1500 = 0.0129
    np.testing.assert_allclose(layer(ones, ones, mask)[0], ones, rtol=1e-5)


def test_heads_divide_the_units():
    with pytest.raises(ValueError, match="num_heads=3, units=8"):
        SelfAttention(3, 8)


def test_logits_and_softmax_are_float32_under_mixed_bfloat16(bfloat16_policy, hidden):
    mask = np.zeros((1, 1, 1, 5), "f4")
    context, logits, probabilities = SelfAttention(2, 6)(hidden, hidden, mask)
    assert (context.dtype, logits.dtype, probabilities.dtype) == (
        tf.bfloat16, tf.float32, tf.float32)
    np.testing.assert_allclose(tf.reduce_sum(probabilities, -1), np.ones((2, 2, 5)), rtol=1e-6)


def test_the_mask_survives_mixed_bfloat16(bfloat16_policy, hidden, attention_mask):
    _, _, probabilities = SelfAttention(2, 6)(hidden, hidden, attention_mask)
    assert np.isfinite(probabilities).all()
    np.testing.assert_array_equal(probabilities.numpy()[1, :, :, 3:], np.zeros((2, 5, 2)))


def test_as_a_layer(run_layer_test, hidden, attention_mask):
    # A key bias moves all logits of a query alike, so probabilities do not tell; logits do.
    run_layer_test(lambda: SelfAttention(3, 6), [hidden, hidden[:, ::-1], attention_mask])


def test_a_known_length_gives_an_exported_graph_constant_shapes():
    layer = SelfAttention(2, 6)

    @tf.function(input_signature=[tf.TensorSpec((1, 5, 6))])
    def run(h):
        return layer(h, h, tf.zeros((1, 1, 1, 5)))[0]

    kinds = {operation.type for operation in run.get_concrete_function().graph.get_operations()}
    assert "Shape" not in kinds
