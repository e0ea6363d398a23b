"""EncoderEmbedding: trigrams as [next, current, previous], zeros beyond the ends."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.layers.embedding import EncoderEmbedding

SMALL = EncoderConfig(vocab_size=6, hidden_size=3, num_blocks=1, num_heads=1, intermediate_size=4,
                      embedding_size=1, bottleneck_size=2, trigram_input=True,
                      normalization="no_norm", max_positions=4, hidden_dropout=0.0)
IDS = np.int32([[3, 4, 5]])


def built(config):
    """Every table zero but the words', whose row i holds i + 1; the projection is the identity."""
    layer = EncoderEmbedding(config)
    layer(IDS, IDS * 0)
    layer.word_table.assign(np.repeat([[1], [2], [3], [4], [5], [6]], config.embedding_size, 1))
    layer.position_table.assign(0 * layer.position_table)
    if layer.type_table is not None:
        layer.type_table.assign(0 * layer.type_table)
    if layer.projection is not None:
        layer.projection.kernel.assign(np.eye(3))
    return layer


def test_trigrams_are_next_current_previous_with_zeros_beyond_the_ends():
    np.testing.assert_array_equal(
        built(SMALL)(IDS, IDS * 0), [[[5, 4, 0], [6, 5, 4], [0, 6, 5]]])


def test_padding_within_the_row_is_a_token_like_any_other():
    # Id 0 is [PAD]: its row, 1, and not zeros stands beside the last real token.
    found = built(SMALL)(np.int32([[3, 0, 0]]), IDS * 0)
    np.testing.assert_array_equal(found, [[[1, 4, 0], [1, 1, 4], [0, 1, 1]]])


def test_segments_and_positions_are_added_and_normed():
    layer = built(SMALL)
    layer.position_table.assign([[10] * 3, [20] * 3, [30] * 3, [40] * 3])
    layer.type_table.assign([[100] * 3, [200] * 3])
    layer.norm.gamma.assign([1, -1, 2])
    layer.norm.beta.assign([0, 0, 7])
    found = layer(IDS, np.int32([[0, 1, 1]]))
    np.testing.assert_array_equal(
        found, [[[115, -114, 227], [226, -225, 455], [230, -236, 477]]])


def test_without_trigrams_it_is_bert():
    layer = built(dataclasses.replace(SMALL, embedding_size=3, trigram_input=False))
    assert layer.projection is None
    np.testing.assert_array_equal(layer(IDS, IDS * 0), [[[4] * 3, [5] * 3, [6] * 3]])


def test_without_segments_they_are_not_read():
    layer = built(dataclasses.replace(SMALL, type_vocab_size=0))
    assert layer.type_table is None
    np.testing.assert_array_equal(layer(IDS, IDS * 0), layer(IDS, IDS * 0 + 77))


def test_dropout_comes_after_the_norm():
    layer = EncoderEmbedding(dataclasses.replace(SMALL, hidden_dropout=0.5))
    layer(IDS, IDS * 0)
    layer.norm.beta.assign([10, 10, 10])
    layer.norm.gamma.assign([0, 0, 0])
    found = layer(np.tile(IDS, (200, 1)), np.tile(IDS * 0, (200, 1)), training=True).numpy()
    assert set(np.unique(found)) == {0.0, 20.0}
    assert 0.4 < (found == 0).mean() < 0.6
    np.testing.assert_array_equal(layer(IDS, IDS * 0), np.full((1, 3, 3), 10))


def test_too_long_an_input_is_an_error():
    with pytest.raises(ValueError, match=r"has 4 positions.*length 5"):
        EncoderEmbedding(SMALL)(np.zeros((1, 5), "i4"), np.zeros((1, 5), "i4"))


def test_the_epsilon_of_transformers_is_used_here():
    layer = EncoderEmbedding(dataclasses.replace(
        SMALL, normalization="layer_norm", layer_norm_epsilon=1e-12,
        embedding_and_output_norm_epsilon=1e-5))
    assert layer.norm.epsilon == 1e-5


def test_tables_start_from_a_truncated_normal():
    layer = EncoderEmbedding(mb.presets.get("micro"))
    layer(IDS, IDS * 0)
    for table in (layer.word_table, layer.position_table, layer.type_table):
        values = table.numpy()
        assert 0.014 < values.std() < 0.022  # 0.02 cut at two deviations has 0.0176
        assert np.abs(values).max() <= 0.04 + 1e-6


@pytest.mark.parametrize("config", [
    SMALL, dataclasses.replace(SMALL, embedding_size=3, trigram_input=False,
                               normalization="layer_norm", layer_norm_epsilon=1e-6),
    dataclasses.replace(SMALL, type_vocab_size=0)], ids=["trigram", "bert", "no segments"])
def test_as_a_layer(run_layer_test, config):
    run_layer_test(lambda: EncoderEmbedding(config), [
        np.int32([[1, 2, 3, 4], [5, 0, 0, 0]]), np.int32([[0, 0, 1, 1], [1, 0, 0, 0]])])
