"""The files beside a model by which sentence-transformers pools its states."""

import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb

from .huggingface_files import CONFIGS


@pytest.mark.parametrize(("modes", "used"), [
    (("max_tokens",), "pooling_mode_max_tokens"),
    (("cls_token", "mean_tokens"), "pooling_mode_cls_token and pooling_mode_mean_tokens")])
def test_another_way_of_pooling_is_refused(modes, used, encoder, tmp_path):
    model = encoder(dataclasses.replace(CONFIGS["Bert"], pooler="mean"))
    mb.checkpoints.save_huggingface(model, tmp_path)
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(
        {f"pooling_mode_{mode}": True for mode in modes}))
    with pytest.raises(mb.InputError, match=f"pools by .* alone, and the model by {used}$"):
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
