"""The masked-LM head's columns and positions; the span head's columns."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.layers.embedding import EncoderEmbedding
from mobilebert_tf.layers.masked_lm_head import MaskedLMHead
from mobilebert_tf.layers.span_head import SpanHead

CONFIG = EncoderConfig(vocab_size=4, hidden_size=4, num_blocks=1, num_heads=1, intermediate_size=4,
                       embedding_size=1, trigram_input=True, activation="relu", max_positions=5)
IDS = np.zeros((1, 3), "i4")


def make_embedding():
    embedding = EncoderEmbedding(CONFIG)
    embedding(IDS, IDS)
    return embedding


@pytest.fixture
def head():
    head = MaskedLMHead(make_embedding())
    head(np.zeros((1, 3, 4), "f4"), IDS)
    head.dense.kernel.assign(np.eye(4))
    return head


def test_tied_columns_come_first_then_the_extra_ones(head):
    # ReLU leaves [0, 1, 3, 0] of the states; LayerNorm gives [-1, 0, 2, -1] / sqrt(1.5).
    head.embedding.word_table.assign([[1], [0], [0], [10]])
    head.extra_kernel.assign([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 100]])
    head.output_bias.assign([0, 0, 0, 7])
    states = np.float32([[[-5, 1, 3, 0], [9, 9, 9, 9], [9, 9, 9, 9]]])
    found = head(states, np.int32([[0]]))
    np.testing.assert_allclose(
        found, [[np.array([-1, 0, 2, -110]) / np.sqrt(1.5) + [0, 0, 0, 7]]], rtol=1e-5, atol=1e-6)


def test_predicts_at_the_positions_asked_for_in_their_order(head):
    states = np.random.default_rng(1).normal(size=(2, 3, 4)).astype("f4")
    every = head(states, np.int32([[0, 1, 2]] * 2)).numpy()
    found = head(states, np.int32([[2, 0], [1, 1]])).numpy()
    np.testing.assert_array_equal(found[0], every[0][[2, 0]])
    np.testing.assert_array_equal(found[1], every[1][[1, 1]])
    assert not np.allclose(every[0, 0], every[0, 1])


def test_the_word_table_is_the_encoders_own(head):
    names = [variable.name for variable in head.weights]
    assert sum(variable is head.embedding.word_table for variable in head.weights) == 1, names
    before = head(np.ones((1, 3, 4), "f4") * [1, 2, 3, 4], IDS).numpy()
    head.embedding.word_table.assign_add(np.float32([[1], [2], [3], [4]]))
    assert not np.allclose(head(np.ones((1, 3, 4), "f4") * [1, 2, 3, 4], IDS).numpy(), before)


def test_its_norm_is_a_layer_norm_even_in_a_model_of_no_norms():
    embedding = EncoderEmbedding(dataclasses.replace(CONFIG, normalization="no_norm"))
    embedding(IDS, IDS)
    head = MaskedLMHead(embedding)
    head(np.zeros((1, 3, 4), "f4"), IDS)
    head.dense.kernel.assign(np.eye(4))
    head.extra_kernel.assign([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    embedding.word_table.assign([[1], [0], [0], [0]])
    small, large = (head(np.float32([[[1, 2, 3, 4]] * 3]) * scale, IDS) for scale in (1, 1e6))
    np.testing.assert_allclose(small, large, rtol=1e-5)


def test_logits_are_float32_under_mixed_bfloat16(bfloat16_policy):
    head = MaskedLMHead(make_embedding())
    assert head(np.zeros((1, 3, 4), "f4"), IDS).dtype == tf.float32


def test_masked_lm_head_as_a_layer(run_layer_test):
    # The embedding's other tables and its norm take no part in the head.
    states = np.random.default_rng(2).normal(size=(2, 5, 4)).astype("f4")
    positions = np.int32([[0, 3], [4, 1]])
    embedding = make_embedding()
    head = MaskedLMHead(embedding)
    head(states, positions)
    config = head.get_config()
    assert MaskedLMHead.from_config(dict(config)).get_config() == config
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(head(states, positions) ** 2)
    trained = [head.dense.kernel, head.dense.bias, head.norm.gamma, head.norm.beta,
               head.extra_kernel, head.output_bias, head.embedding.word_table]
    for variable, gradient in zip(trained, tape.gradient(loss, trained), strict=True):
        assert gradient is not None, variable.name
        assert np.abs(tf.convert_to_tensor(gradient)).max() > 0, variable.name


def test_span_head_has_the_start_in_column_0():
    head = SpanHead()
    head(np.zeros((1, 1, 2), "f4"))
    head.dense.kernel.assign([[1, 10], [0, 1]])
    head.dense.bias.assign([0.5, -0.5])
    found = head(np.float32([[[1, 2], [3, 4]]]))
    np.testing.assert_allclose(found["start_logits"], [[1.5, 3.5]])
    np.testing.assert_allclose(found["end_logits"], [[11.5, 33.5]])


def test_span_head_as_a_layer(run_layer_test, hidden):
    run_layer_test(SpanHead, [hidden])


def test_the_masked_lm_tables_gradient_is_not_one_for_each_sequence():
    """What `matmul` would make: 256 sequences of a real vocabulary then take 12 GB."""
    config = mb.presets.get("micro")
    model = mb.Pretrainer(mb.Encoder(config), next_sentence=False)
    sequences = 7

    @tf.function
    def gradients(batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(batch)["mlm_logits"] ** 2)
        return tape.gradient(loss, model.mlm_head.extra_kernel)

    ids = tf.ones((sequences, 5), tf.int32)
    graph = gradients.get_concrete_function(
        {"input_word_ids": ids, "input_mask": ids, "input_type_ids": ids,
         "masked_positions": ids[:, :2]}).graph
    shapes = [output.shape for operation in graph.get_operations()
              for output in operation.outputs if output.shape.rank == 3]
    assert shapes
    assert not [shape for shape in shapes
                if shape[0] == sequences and shape[1] == config.vocab_size]
