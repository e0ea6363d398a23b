"""Checkpoints from the Hugging Face hub; the only place that uses the network."""

from pathlib import Path

from mobilebert_tf.errors import InputError


def directory(name: str, revision: str | None = None) -> Path:
    """Download a repository's checkpoint unless it is cached; return its local directory.

    Args:
      name: of the repository, such as google/mobilebert-uncased.
      revision: branch, tag or commit; by default the main branch.
    Raises:
      InputError: without the extra `hub`, the network, the repository or a checkpoint in it.
    """
    try:
        import huggingface_hub
    except ImportError as error:
        raise InputError(f"{name} is not a directory, and downloading it needs the extra hub: "
                         "pip install 'mobilebert-tf[hub]'") from error
    try:
        config = huggingface_hub.hf_hub_download(name, "config.json", revision=revision)
        files = huggingface_hub.list_repo_files(name, revision=revision)
        # A .bin is read only where there is no safetensors file.
        weights = next(file for file in ("model.safetensors", "pytorch_model.bin")
                       if file in files)
        for file in (weights, "vocab.txt"):
            if file in files:
                huggingface_hub.hf_hub_download(name, file, revision=revision)
    except StopIteration as error:
        raise InputError(f"{name} on the hub has neither model.safetensors nor "
                         "pytorch_model.bin") from error
    except Exception as error:  # the hub's client raises its own, requests' and OS errors
        reason = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        raise InputError(f"{name} is not a directory and cannot be downloaded from the Hugging "
                         f"Face hub: {reason}") from error
    return Path(config).parent
