"""from_pretrained: our directories, Hugging Face's, the hub's client, and clear errors."""

import builtins
import dataclasses
import sys
import types

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import kinds, model_directory
from mobilebert_tf.checkpoints import sentence_transformers

CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1)


@pytest.fixture
def saved(golden_models):
    """The small masked-LM model that transformers saved."""
    return golden_models / "saved"


@pytest.fixture
def client(monkeypatch, saved):
    """Stands for huggingface_hub: one repository, the small saved model."""
    asked = []

    def download(name, file, revision=None):
        if not (saved / file).exists():
            raise module.errors.EntryNotFoundError(file)
        asked.append((file, revision))
        return str(saved / file)

    missing = type("NotFound", (Exception,), {})
    module = types.SimpleNamespace(
        hf_hub_download=download, asked=asked, _CACHED_NO_EXIST=object(),
        try_to_load_from_cache=lambda name, file, revision: None,
        errors=types.SimpleNamespace(EntryNotFoundError=missing,
                                     LocalEntryNotFoundError=type("NotHere", (missing,), {})))
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return module


def assert_same(found, right):
    assert type(found) is type(right)
    assert found.config == right.config
    assert len(found.weights) == len(right.weights)
    for value, wanted in zip(found.weights, right.weights, strict=True):
        np.testing.assert_array_equal(value, wanted, err_msg=wanted.name)


def test_a_local_directory_needs_no_client(saved, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    model = mb.from_pretrained(str(saved))
    assert type(model) is mb.Pretrainer
    assert_same(model, mb.checkpoints.load_huggingface(saved))


def test_a_vocabulary_of_another_size_beside_transformers_model_does_not_matter(tmp_path):
    model = mb.Encoder(CONFIG)
    mb.checkpoints.save_huggingface(model, tmp_path)
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
    assert_same(mb.from_pretrained(tmp_path), model)


def test_a_directory_of_ours_and_its_file_give_the_model_with_its_head(randomize, tmp_path):
    model = randomize(mb.Classifier(mb.Encoder(CONFIG), 3, multi_label=True))
    model_directory.save(tmp_path, model_directory.ModelDirectory(model, None, kinds.of(model)))
    for place in (tmp_path, tmp_path / "model.keras"):
        found = mb.from_pretrained(place)
        assert_same(found, model)
        assert found.get_config() == model.get_config()


def test_downloads_safetensors_of_the_revision_asked_for(client, saved):
    model = mb.from_pretrained("google/mobilebert-uncased", revision="v2")
    assert client.asked == [("config.json", "v2"), ("model.safetensors", "v2")]
    assert_same(model, mb.checkpoints.load_huggingface(saved))


def test_a_local_path_has_no_revision(saved):
    with pytest.raises(mb.InputError, match="revision is of a repository on the hub, and .* local"):
        mb.from_pretrained(saved, revision="v2")


def test_weights_that_are_not_finite_are_refused(tmp_path):
    model = mb.Encoder(CONFIG)
    model.weights[0].assign(model.weights[0] * np.nan)
    model_directory.save(tmp_path, model_directory.ModelDirectory(model, None, kinds.of(model)))
    with pytest.raises(mb.InputError, match="holds values that are not finite"):
        mb.from_pretrained(tmp_path)


def test_without_the_client_the_error_says_what_to_install(monkeypatch):
    right = builtins.__import__

    def no_client(name, *args, **kwargs):
        if name == "huggingface_hub":
            raise ImportError("No module named 'huggingface_hub'")
        return right(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "huggingface_hub", raising=False)
    monkeypatch.setattr(builtins, "__import__", no_client)
    with pytest.raises(mb.InputError, match=r"none is not a directory.*'\.\[hub\]'"):
        mb.from_pretrained("google/none")


def test_without_network_the_error_says_so(client):
    def fail(*args, **kwargs):
        raise ConnectionError("no route to host\nand more lines")

    client.hf_hub_download = fail
    with pytest.raises(mb.InputError, match="none .*cannot be downloaded.*no route to host$"):
        mb.from_pretrained("google/none")


def test_a_file_that_is_not_cached_is_missing_only_if_the_cache_knows_it(client, saved):
    right = client.hf_hub_download

    def download(name, file, revision=None):
        if file == sentence_transformers.POOLING:
            raise client.errors.LocalEntryNotFoundError("no network, and not in the cache")
        return right(name, file, revision)

    client.hf_hub_download = download
    with pytest.raises(mb.InputError, match="cannot be downloaded.*: no network, and not in the"):
        mb.from_pretrained("google/mobilebert-uncased")
    client.try_to_load_from_cache = lambda name, file, revision: client._CACHED_NO_EXIST
    assert type(mb.from_pretrained("google/mobilebert-uncased")) is mb.Pretrainer


def test_a_repository_without_weights_is_an_error(client):
    right = client.hf_hub_download

    def download(name, file, revision=None):
        if file.startswith(("model.", "pytorch_")):
            raise client.errors.EntryNotFoundError(file)
        return right(name, file, revision)

    client.hf_hub_download = download
    with pytest.raises(mb.InputError, match="neither model.safetensors nor pytorch_model.bin"):
        mb.from_pretrained("google/none")
