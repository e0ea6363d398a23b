"""The formats and names that tensors have in files of Hugging Face's."""

import ml_dtypes
import numpy as np
import pytest

import mobilebert_tf as mb

from .huggingface_files import CONFIGS, assert_same, change_tensors


@pytest.mark.parametrize(("file", "dtype"), [
    ("new_format.bin", "f4"), ("legacy_format.bin", "f4"), ("half.bin", "f2"),
    ("bfloat16.bin", ml_dtypes.bfloat16)])
def test_every_format_of_torch_gives_the_same_weights(file, dtype, saved, right, variables):
    (saved / "model.safetensors").unlink()
    (saved / file).rename(saved / "pytorch_model.bin")
    assert_same(variables(mb.checkpoints.load_huggingface(saved)),
                {name: value.astype(dtype).astype("f4") for name, value in right.items()})


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats_are_widened(dtype, saved, right, variables):
    short = np.dtype(getattr(ml_dtypes, dtype, dtype))
    change_tensors(saved, lambda tensors: {n: t.astype(short) for n, t in tensors.items()})
    assert_same(variables(mb.checkpoints.load_huggingface(saved)),
                {name: value.astype(short).astype("f4") for name, value in right.items()})


def test_a_tensor_under_two_names_is_refused(encoder, tmp_path):
    mb.checkpoints.save_huggingface(encoder(CONFIGS["Bert"]), tmp_path)
    norm = "embeddings.LayerNorm.weight"
    change_tensors(tmp_path, lambda tensors: {
        **tensors, norm.replace("weight", "gamma"): tensors[norm]})
    with pytest.raises(mb.InputError, match="embeddings.LayerNorm.* twice, under its name and"):
        mb.checkpoints.load_huggingface(tmp_path)


def test_norms_named_as_in_tensorflow(saved, right, variables):
    change_tensors(saved, lambda tensors: {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"): value for name, value in tensors.items()})
    assert_same(variables(mb.checkpoints.load_huggingface(saved)), right)


def test_missing_files_are_errors(saved, tmp_path):
    with pytest.raises(mb.InputError, match=r"cannot read .*none.*config\.json"):
        mb.checkpoints.load_huggingface(tmp_path / "none")
    (saved / "model.safetensors").unlink()
    with pytest.raises(mb.InputError, match="neither model.safetensors nor pytorch_model.bin"):
        mb.checkpoints.load_huggingface(saved)
    (saved / "model.safetensors.index.json").write_text("{}")
    with pytest.raises(mb.InputError, match=r"several files \(model.safetensors.index.json\)"):
        mb.checkpoints.load_huggingface(saved)
    (saved / "config.json").write_text("{")
    with pytest.raises(mb.InputError, match=r"config\.json is not JSON"):
        mb.checkpoints.load_huggingface(saved)


@pytest.mark.parametrize("damage", [
    lambda data: data[:100], lambda data: data[:-1], lambda data: b"", lambda data: b"x" * 500])
def test_a_damaged_safetensors_file_is_an_error(damage, saved, no_assignment):
    path = saved / "model.safetensors"
    data = damage(path.read_bytes())
    path.unlink()
    path.write_bytes(data)
    with pytest.raises(mb.InputError, match=r"model\.safetensors is not a safetensors file"):
        mb.checkpoints.load_huggingface(saved)
