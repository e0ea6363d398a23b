"""from_pretrained: a local directory, the hub's client, and clear errors without either."""

import builtins
import sys
import types

import numpy as np
import pytest

import mobilebert_tf as mb


@pytest.fixture
def client(monkeypatch, saved):
    """Stands for huggingface_hub: one repository, the small saved model."""
    asked = []

    def download(name, file, revision=None):
        asked.append((file, revision))
        return str(saved / file)

    module = types.SimpleNamespace(
        hf_hub_download=download,
        list_repo_files=lambda name, revision=None: ["README.md", "config.json",
                                                     "model.safetensors", "pytorch_model.bin"],
        asked=asked)
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return module


def test_a_local_directory_needs_no_client(saved, variables, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    encoder = mb.Encoder.from_pretrained(str(saved))
    assert type(encoder) is mb.Encoder
    right = variables(mb.checkpoints.load_huggingface(saved).encoder)
    for name, value in variables(encoder).items():
        np.testing.assert_array_equal(value, right[name])


def test_downloads_safetensors_of_the_revision_asked_for(client, saved):
    encoder = mb.Encoder.from_pretrained("google/mobilebert-uncased", revision="v2")
    assert encoder.config.hidden_size == 12
    assert client.asked == [("config.json", "v2"), ("model.safetensors", "v2")]


def test_without_the_client_the_error_says_what_to_install(monkeypatch):
    right = builtins.__import__

    def no_client(name, *args, **kwargs):
        if name == "huggingface_hub":
            raise ImportError("No module named 'huggingface_hub'")
        return right(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "huggingface_hub", raising=False)
    monkeypatch.setattr(builtins, "__import__", no_client)
    with pytest.raises(mb.InputError, match=r"none is not a directory.*mobilebert-tf\[hub\]"):
        mb.Encoder.from_pretrained("google/none")


def test_without_network_the_error_says_so(client, monkeypatch):
    def fail(*args, **kwargs):
        raise ConnectionError("no route to host\nand more lines")

    client.hf_hub_download = fail
    with pytest.raises(mb.InputError, match="none .*cannot be downloaded.*no route to host$"):
        mb.Encoder.from_pretrained("google/none")


def test_a_repository_without_weights_is_an_error(client):
    client.list_repo_files = lambda name, revision=None: ["config.json", "flax_model.msgpack"]
    with pytest.raises(mb.InputError, match="neither model.safetensors nor pytorch_model.bin"):
        mb.Encoder.from_pretrained("google/none")
