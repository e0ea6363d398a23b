"""A cut model gives what the whole one gives, by the same weights, and computes no more."""

import numpy as np
import pytest

from mobilebert_tf.training.partial_model import partial_model


@pytest.fixture(scope="module")
def model(build):
    return build("micro", 1)


def test_outputs_are_the_whole_models(model, make_batch):
    batch = make_batch()
    names = ("block_outputs", "attention_logits", "pooled_output", "mlm_logits", "nsp_logits")
    # Any iterable of names will do, one that can be read once too.
    part = partial_model(model, (name for name in names))
    found = part({name: batch[name] for name in part.input})
    assert set(found) == set(names)
    encoded = model.encoder({name: batch[name] for name in model.encoder.input})
    whole = {**encoded, **model({name: batch[name] for name in model.input})}
    for name in names:
        for left, right in zip(*([values] if not isinstance(values, list) else values
                                 for values in (found[name], whole[name])), strict=True):
            np.testing.assert_array_equal(left, right)
    assert {id(variable) for variable in part.weights} == {
        id(variable) for variable in model.weights}


@pytest.mark.parametrize("num_blocks", [1, 2])
def test_blocks_and_heads_that_nothing_reads_are_left_out(model, num_blocks, make_batch):
    batch = make_batch()
    part = partial_model(model, ("block_outputs", "attention_logits"), num_blocks)
    assert set(part.input) == {"input_word_ids", "input_mask", "input_type_ids"}
    found = part({name: batch[name] for name in part.input})
    assert set(found) == {"block_outputs", "attention_logits"}
    whole = model.encoder({name: batch[name] for name in part.input})
    for name, values in found.items():
        assert len(values) == num_blocks
        for left, right in zip(values, whole[name], strict=False):
            np.testing.assert_array_equal(left, right)
    names = [layer.name for layer in part.layers]
    assert [name for name in names if name.startswith("block_")] == [
        f"block_{index}" for index in range(num_blocks)]
    assert not {"pooler", "mlm", "nsp"} & set(names)


def test_attention_alone_needs_no_list_of_states(build, make_batch):
    batch = make_batch()
    encoder = build("micro", 2, ())
    part = partial_model(encoder, ("attention_logits",), 1)
    found = part({name: batch[name] for name in part.input})
    assert [logits.shape for logits in found["attention_logits"]] == [(4, 4, 10, 10)]
