"""The files beside a model by which sentence-transformers pools its states."""

import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb

from .huggingface_files import CONFIGS


@pytest.mark.parametrize(("pooling", "used"), [
    ({"pooling_mode_max_tokens": True}, "max"),
    ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}, "cls and mean"),
    ({"pooling_mode": "lasttoken", "pooling_mode_mean_tokens": True}, "lasttoken"),
    ({"pooling_mode": ["mean", "max"]}, "mean and max")])
def test_another_way_of_pooling_is_refused(pooling, used, encoder, tmp_path):
    model = encoder(dataclasses.replace(CONFIGS["Bert"], pooler="mean"))
    mb.checkpoints.save_huggingface(model, tmp_path)
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    with pytest.raises(mb.InputError, match=f"pools by .* alone, and the model by {used}$"):
        mb.checkpoints.load_huggingface(tmp_path)


@pytest.mark.parametrize(("pooling", "pooler"), [
    # What sentence-transformers 6.2.0 writes.
    ({"embedding_dimension": 48, "pooling_mode": "mean", "include_prompt": True}, "mean"),
    ({"embedding_dimension": 48, "pooling_mode": "cls", "include_prompt": True}, "first_token"),
    ({"pooling_mode": ["cls"]}, "first_token"),
    ({"pooling_mode": "cls", "pooling_mode_mean_tokens": True}, "first_token"),
    # What names no way means the mean there.
    ({"word_embedding_dimension": 48}, "mean"), ({"pooling_mode_cls_token": False}, "mean")])
def test_the_way_of_pooling_is_that_of_sentence_transformers(pooling, pooler, encoder, tmp_path):
    mb.checkpoints.save_huggingface(
        encoder(dataclasses.replace(CONFIGS["Bert"], pooler="mean")), tmp_path)
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    assert mb.checkpoints.load_huggingface(tmp_path).config.pooler == pooler


def test_a_module_that_changes_the_embedding_is_refused(encoder, tmp_path):
    mb.checkpoints.save_huggingface(
        encoder(dataclasses.replace(CONFIGS["Bert"], pooler="mean")), tmp_path)
    modules = json.loads((tmp_path / "modules.json").read_text())
    dense = {"idx": 2, "name": "2", "path": "2_Dense",
             "type": "sentence_transformers.sentence_transformer.modules.dense.Dense"}
    (tmp_path / "modules.json").write_text(json.dumps([*modules[:2], dense, modules[2]]))
    with pytest.raises(mb.InputError, match=r"modules.json: this project has no Dense of"):
        mb.checkpoints.load_huggingface(tmp_path)
    (tmp_path / "modules.json").unlink()
    mb.checkpoints.load_huggingface(tmp_path)


@pytest.mark.parametrize(("pooler", "embedding_pooler"), [
    ("mean", None), ("mean", "first_token"), ("first_token", "first_token"),
    ("first_token", "mean")])
@pytest.mark.parametrize("family", ["Bert", "MobileBert"])
def test_sentence_transformers_reads_how_embeddings_are_made(
        family, pooler, embedding_pooler, encoder, tmp_path):
    """The fields and types are those of all-MiniLM-L6-v2's directory."""
    model = encoder(dataclasses.replace(CONFIGS[family], pooler=pooler))
    mb.checkpoints.save_huggingface(model, tmp_path, embedding_pooler=embedding_pooler)
    written = embedding_pooler or "mean"
    modules = json.loads((tmp_path / "modules.json").read_text())
    assert [(module["path"], module["type"].rpartition(".")[2]) for module in modules] == [
        ("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    assert json.loads((tmp_path / "1_Pooling" / "config.json").read_text()) == {
        "word_embedding_dimension": model.config.hidden_size,
        "pooling_mode_cls_token": written == "first_token",
        "pooling_mode_mean_tokens": written == "mean", "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False}
    back = mb.checkpoints.load_huggingface(tmp_path)
    assert back.config == dataclasses.replace(model.config, pooler=written)
    for found, right in zip(back.weights, model.weights, strict=True):
        np.testing.assert_array_equal(found, right)


def test_a_pooler_in_the_file_stays(encoder, tmp_path):
    """all-MiniLM-L6-v2 has both: a trained pooler, and a mean for its sentence embeddings."""
    model = encoder(CONFIGS["Bert"])
    mb.checkpoints.save_huggingface(model, tmp_path)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    assert mb.checkpoints.load_huggingface(tmp_path).config.pooler == "tanh"
