"""AttentionMask: 0 at real tokens, the value at padding, float32 always."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf import presets
from mobilebert_tf.layers.attention_mask import AttentionMask


def test_zero_at_real_tokens_and_the_value_at_padding():
    found = AttentionMask(-6.0)(np.int32([[1, 1, 0], [1, 0, 0]]))
    np.testing.assert_array_equal(found, [[[[0, 0, -6]]], [[[0, -6, -6]]]])


def test_the_default_beats_the_logits_of_the_released_weights():
    mask = AttentionMask(presets.get("mobilebert").attention_mask_value)(np.int32([[1, 0]]))
    logits = np.float32([[[[-1e14, 1e14]]]])  # (2.5e7) ** 2 is below 1e15
    np.testing.assert_array_equal(tf.nn.softmax(logits + mask), [[[[1, 0]]]])


def test_float32_under_mixed_bfloat16(bfloat16_policy):
    mask = AttentionMask(-1e30)(np.int32([[1, 0]]))
    assert mask.dtype == tf.float32
    assert mask.numpy()[0, 0, 0, 1] == np.float32(-1e30)


@pytest.mark.parametrize("value", [-1e30, -10000.0])
def test_config_round_trip(value):
    layer = AttentionMask(value, name="mask")
    restored = AttentionMask.from_config(layer.get_config())
    assert (restored.value, restored.name) == (value, "mask")
    np.testing.assert_array_equal(restored(np.int32([[0]])), [[[[np.float32(value)]]]])
