import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.models.repooling import with_pooler

CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=2)


@pytest.fixture
def encoder(randomize):
    return randomize(mb.Encoder(CONFIG))


def values(weights):
    return [weight.numpy() for weight in weights]


def test_only_the_pooled_output_is_another(encoder, batch):
    assert encoder.config.pooler == "first_token"
    changed = with_pooler(encoder, "mean")
    assert changed.config == dataclasses.replace(CONFIG, pooler="mean")
    before, after = encoder(batch), changed(batch)
    for name in ("sequence_output", "embedding_output"):
        np.testing.assert_array_equal(after[name], before[name], err_msg=name)
    for name in ("block_outputs", "attention_logits"):
        for found, right in zip(after[name], before[name], strict=True):
            np.testing.assert_array_equal(found, right, err_msg=name)
    states, mask = before["sequence_output"].numpy(), batch["input_mask"][..., np.newaxis]
    np.testing.assert_allclose(after["pooled_output"],
                               (states * mask).sum(axis=1) / mask.sum(axis=1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("before", "after"), [("mean", "tanh"), ("tanh", "scaled_first_token")])
def test_poolers_with_weights_come_and_go_and_the_rest_is_copied(randomize, before, after):
    encoder = randomize(mb.Encoder(dataclasses.replace(CONFIG, pooler=before)))
    changed = with_pooler(encoder, after)
    assert [bool(one.pooler.weights) for one in (encoder, changed)] == [
        before == "tanh", after == "tanh"]
    for part in ("embedding", "blocks"):
        sources, targets = (getattr(one, part) for one in (encoder, changed))
        pairs = zip(sources, targets, strict=True) if part == "blocks" else [(sources, targets)]
        for source, target in pairs:
            for right, found in zip(values(source.weights), values(target.weights), strict=True):
                np.testing.assert_array_equal(found, right)


def test_the_copy_is_a_copy(encoder, batch):
    changed = with_pooler(encoder, "mean")
    right = changed(batch)["sequence_output"].numpy()
    for weight in encoder.weights:
        weight.assign(weight * 2)
    np.testing.assert_array_equal(changed(batch)["sequence_output"], right)


@pytest.mark.parametrize("pooler", [None, "first_token"])
def test_an_encoder_that_has_the_pooler_is_given_back(encoder, pooler):
    assert with_pooler(encoder, pooler) is encoder


def test_an_unknown_pooler_is_refused(encoder):
    with pytest.raises(ValueError, match="`pooler` should be one of .*first_token"):
        with_pooler(encoder, "max")


@pytest.mark.parametrize(("config", "pooler"), [
    (CONFIG, "median"), (dataclasses.replace(CONFIG, type_vocab_size=0), "segment_match")])
def test_what_a_model_cannot_have_is_refused(config, pooler):
    """A model without a segment table cannot tell two texts apart."""
    with pytest.raises(mb.InputError, match=pooler):
        with_pooler(mb.Encoder(config), pooler)
