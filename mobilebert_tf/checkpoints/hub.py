"""Checkpoints from the Hugging Face hub; the only place that downloads them."""

from pathlib import Path

from mobilebert_tf.checkpoints import sentence_transformers
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
                         "pip install '.[hub]' in a checkout") from error

    def found(file):
        try:
            return huggingface_hub.hf_hub_download(name, file, revision=revision)
        except huggingface_hub.errors.LocalEntryNotFoundError:
            # Without the network, the cache may know that the repository has no such file.
            if huggingface_hub.try_to_load_from_cache(
                    name, file, revision=revision) is not huggingface_hub._CACHED_NO_EXIST:
                raise
            return None
        except huggingface_hub.errors.EntryNotFoundError:
            return None

    try:
        config = huggingface_hub.hf_hub_download(name, "config.json", revision=revision)
        # A .bin is read only where there is no safetensors file.
        weights = any(found(file) for file in ("model.safetensors", "pytorch_model.bin"))
        found(sentence_transformers.POOLING)
    except Exception as error:  # the hub's client raises its own, requests' and OS errors
        reason = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        raise InputError(f"{name} is not a directory and cannot be downloaded from the Hugging "
                         f"Face hub: {reason}") from error
    if not weights:
        raise InputError(f"{name} on the hub has neither model.safetensors nor pytorch_model.bin")
    return Path(config).parent
