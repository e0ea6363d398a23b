"""convert, as a Python function; tests/cli compares the tensors of every layout."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb

CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1)


def test_gives_what_was_written_and_the_report_of_a_published_layout(randomize, tmp_path):
    model = randomize(mb.Pretrainer(mb.Encoder(CONFIG)))
    mb.checkpoints.save_huggingface(model, tmp_path / "published")
    converted = mb.convert(tmp_path / "published", "keras", tmp_path / "ours")
    assert (converted.model, converted.parameters) == ("Pretrainer", model.count_params())
    assert len(converted.report.used) == len(model.weights)
    back = mb.convert(tmp_path / "ours", "google", tmp_path / "google" / "model.ckpt",
                      encoder_only=True)
    assert (back.model, back.report) == ("Encoder", None)
    found = mb.checkpoints.load_google(tmp_path / "google" / "model.ckpt", CONFIG)
    for value, right in zip(found.weights, model.encoder.weights, strict=True):
        np.testing.assert_array_equal(value, right)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"layout": "torch"}, "there is no layout 'torch'; known are huggingface, google, keras"),
    ({"pooler": "mean"}, "pooler goes with encoder_only"),
    ({"preset": "micro"}, "has its own config; config and preset are for TF1 checkpoints"),
])
def test_wrong_arguments_are_one_sentence(arguments, message, tmp_path):
    with pytest.raises(mb.InputError, match=message):
        mb.convert(tmp_path, **{"layout": "keras", "output": tmp_path / "out", **arguments})
    assert list(tmp_path.iterdir()) == []
