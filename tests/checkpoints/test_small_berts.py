"""Google's small BERTs: Hugging Face's and Google's layouts, from one to the other and back."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb

PRESETS = ["bert_medium", "bert_small", "bert_mini", "bert_tiny"]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_tensor_survives_both_layouts(preset, randomize, variables, tmp_path):
    """As published but for depth, feed-forwards and vocabulary: heads are of 64 features."""
    config = dataclasses.replace(mb.presets.get(preset), num_blocks=1, vocab_size=31,
                                 intermediate_size=24, max_positions=16)
    assert config.num_heads == config.hidden_size // 64
    model = randomize(mb.Pretrainer(mb.Encoder(config)))
    mb.checkpoints.save_google(model, tmp_path / "a.ckpt")
    from_google = mb.checkpoints.load_google(tmp_path / "a.ckpt", config)
    mb.checkpoints.save_huggingface(from_google, tmp_path / "b")
    from_huggingface = mb.checkpoints.load_huggingface(tmp_path / "b")
    mb.checkpoints.save_google(from_huggingface, tmp_path / "c.ckpt")
    again = mb.checkpoints.load_google(tmp_path / "c.ckpt", config)
    right = variables(model)
    assert from_huggingface.config == config
    for loaded in (from_google, from_huggingface, again):
        found = variables(loaded)
        assert found.keys() == right.keys()
        for name, value in right.items():
            np.testing.assert_array_equal(found[name], value, err_msg=name)
