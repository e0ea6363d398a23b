"""The files that tell sentence-transformers how a model embeds a text.

Source: sentence-transformers' models.Transformer, Pooling and Normalize, as all-MiniLM-L6-v2's
directory has them.
"""

import json
from pathlib import Path

import msgspec

from mobilebert_tf import records
from mobilebert_tf.config import EmbeddingPooler, EncoderConfig
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically

_FOLDER = "1_Pooling"
POOLING = f"{_FOLDER}/config.json"
_MODES: dict[str, EmbeddingPooler] = {
    "pooling_mode_cls_token": "first_token", "pooling_mode_mean_tokens": "mean"}
_MODULES, _TRANSFORMER = "modules.json", "sentence_bert_config.json"


class _Pooling(msgspec.Struct):
    """The ways of pooling; an embedding is their results in a row."""

    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = False
    pooling_mode_max_tokens: bool = False
    pooling_mode_mean_sqrt_len_tokens: bool = False
    pooling_mode_weightedmean_tokens: bool = False
    pooling_mode_lasttoken: bool = False


def pooler(directory: Path) -> EmbeddingPooler | None:
    """Return how the files say that an embedding is made; None without files.

    Raises:
      InputError: for a file that is not JSON or has a wrong type, and for another way of pooling or
        several.
    """
    path = directory / POOLING
    if not path.exists():
        return None
    used = [name for name, is_used in msgspec.structs.asdict(records.read(path, _Pooling)).items()
            if is_used]
    if not used:
        return None
    if len(used) > 1 or used[0] not in _MODES:
        raise InputError(f"{path}: this project pools by {' or '.join(_MODES)} alone, and the "
                         f"model by {' and '.join(used)}")
    return _MODES[used[0]]


def save(directory: Path, config: EncoderConfig, embedding_pooler: EmbeddingPooler) -> None:
    """Write the files by which sentence-transformers pools in this way and scales to length 1.

    Args:
      directory: of the model's config.json.
      config: of the encoder.
      embedding_pooler: how the states of a text's tokens become one vector.
    Raises:
      InputError: if the place cannot be written.
    """
    modules = [{"idx": index, "name": str(index), "path": path,
                "type": f"sentence_transformers.models.{name}"}
               for index, (path, name) in enumerate((
                   ("", "Transformer"), (_FOLDER, "Pooling"), ("2_Normalize", "Normalize")))]
    _write(directory / _MODULES, modules)
    _write(directory / _TRANSFORMER, {
        "max_seq_length": config.max_positions, "do_lower_case": False})
    _write(directory / POOLING, {
        "word_embedding_dimension": config.hidden_size,
        **{mode: name == embedding_pooler for mode, name in _MODES.items()},
        "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False})


def remove(directory: Path) -> None:
    """Remove the files that `save` wrote for another model."""
    for name in (_MODULES, _TRANSFORMER, POOLING):
        (directory / name).unlink(missing_ok=True)


def _write(path, content):
    write_atomically(path, json.dumps(content, indent=2).encode() + b"\n")
