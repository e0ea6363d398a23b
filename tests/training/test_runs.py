"""What a run makes of the models that a user names."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.training.loading import load


@pytest.fixture
def corpus(make_corpus, tmp_path):
    return make_corpus(tmp_path / "corpus")


@pytest.fixture
def named(corpus, tmp_path):
    """The name of a directory with a model that has both heads."""
    model = mb.Pretrainer(mb.Encoder(mb.presets.get("micro")))
    model.mlm_head.set_weights([np.full_like(weight, 0.25) for weight in
                                model.mlm_head.get_weights()])
    model_directory.save(tmp_path / "model", ModelDirectory(
        model, corpus.vocabulary(), FillMask()))
    return str(tmp_path / "model")


HEADS, POOLERS = ((), ("mlm",), ("mlm", "nsp")), (None, "same", "mean")


@pytest.mark.parametrize(("heads", "pooler"), [
    pytest.param(heads, pooler, marks=() if place == other else pytest.mark.slow)
    for place, heads in enumerate(HEADS) for other, pooler in enumerate(POOLERS)])
def test_a_masked_lm_head_survives_another_pooler(heads, pooler, named, corpus):
    own = mb.presets.get("micro").pooler
    assert own != "mean"
    saved = model_directory.load(named).model
    loaded = load(named, corpus, heads, own if pooler == "same" else pooler)
    assert loaded.config.pooler == (pooler if pooler == "mean" else own)
    for one, other in zip(loaded.mlm_head.get_weights(), saved.mlm_head.get_weights(),
                          strict=True):
        np.testing.assert_array_equal(one, other)
    # What read the old pooler is of no use with the new one.
    assert (loaded.nsp_head is not None) == (pooler != "mean" or "nsp" in heads)


def test_single_sentences_teach_no_next_sentence_head(named, corpus, tmp_path):
    sentences = dataclasses.replace(corpus, examples="sentences")
    with pytest.raises(InputError, match="corpus has single sentences, .* next_sentence to False"):
        mb.pretrain(named, tmp_path / "run", corpus=sentences)
    assert not (tmp_path / "run").exists()
