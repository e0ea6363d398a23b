"""`mobilebert convert --encoder-only`, with another pooler and without."""

import dataclasses

import numpy as np
from safetensors.numpy import load_file

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.model_directory import ModelDirectory

CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1)

def test_all_tensors_of_the_encoder_stay_and_no_other(mobilebert, tmp_path):
    checkpoint = tmp_path / "pretrained"
    mb.checkpoints.save_huggingface(mb.Pretrainer(mb.Encoder(CONFIG)), checkpoint)
    run = mobilebert("convert", checkpoint, "--to", "huggingface", "--encoder-only",
                     "--output", tmp_path / "encoder")
    assert run.status == 0, run.err
    assert "Encoder with" in run.out
    before, after = (load_file(path / "model.safetensors")
                     for path in (checkpoint, tmp_path / "encoder"))
    kept = {name.removeprefix("mobilebert."): value for name, value in before.items()
            if name.startswith("mobilebert.")}
    assert kept.keys() == after.keys()
    assert len(kept) < len(before)
    for name, value in kept.items():
        np.testing.assert_array_equal(value, after[name], err_msg=name)


def test_the_pooler_of_an_encoder_alone_is_replaced(mobilebert, tmp_path):
    encoder = mb.Encoder(CONFIG)
    kind = Classification(labels=("bad", "good"))
    model_directory.save(tmp_path / "run", ModelDirectory(
        mb.Classifier(encoder, 2), None, kind, lower_case=False, task="sst2"))
    convert = ("convert", tmp_path / "run", "--to", "keras", "--output", tmp_path / "out")
    for arguments, message in ((("--pooler", "mean"), "pooler goes with encoder_only"),
                               (("--encoder-only", "--pooler", "men"), "men")):
        run = mobilebert(*convert, *arguments)
        assert run.status == 2
        assert message in run.err
    assert not (tmp_path / "out").exists()
    run = mobilebert(*convert, "--encoder-only", "--pooler", "mean")
    assert run.status == 0, run.err
    found = model_directory.load(tmp_path / "out")
    # Of the classifier nothing is left, of how texts are read everything.
    assert (found.labels, found.task, found.lower_case) == (None, None, False)
    assert found.model.config == dataclasses.replace(encoder.config, pooler="mean")
    words = np.array([[5, 6, 7, 0]], np.int32)
    inputs = {"input_word_ids": words, "input_mask": np.sign(words),
              "input_type_ids": np.zeros_like(words)}
    states = np.asarray(encoder(inputs)["sequence_output"])
    outputs = found.model(inputs)
    np.testing.assert_allclose(outputs["sequence_output"], states, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(outputs["pooled_output"], states[:, :3].mean(axis=1), rtol=1e-5,
                               atol=1e-5)
