"""The files that tell sentence-transformers how a model embeds a text.

Source: sentence-transformers' models.Transformer, Pooling and Normalize, as all-MiniLM-L6-v2's
directory has them.
"""

import json
from pathlib import Path

import msgspec

from mobilebert_tf import records
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically

_FOLDER = "1_Pooling"
POOLING = f"{_FOLDER}/config.json"
_CLS, _MEAN = "pooling_mode_cls_token", "pooling_mode_mean_tokens"
_MODULES, _TRANSFORMER = "modules.json", "sentence_bert_config.json"


class _Pooling(msgspec.Struct):
    """The ways of pooling; an embedding is their results in a row."""

    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = False
    pooling_mode_max_tokens: bool = False
    pooling_mode_mean_sqrt_len_tokens: bool = False
    pooling_mode_weightedmean_tokens: bool = False
    pooling_mode_lasttoken: bool = False


def means_tokens(directory: Path) -> bool:
    """Return whether the files say that an embedding is the mean of the tokens' states.

    Without them, and where it is the state of the first token, it is not.

    Raises:
      InputError: as `_used` does.
    """
    return _used(directory) == [_MEAN]


def takes_first_token(directory: Path) -> bool:
    """Return whether the files say that an embedding is the state of the first token, [CLS].

    Raises:
      InputError: as `_used` does.
    """
    return _used(directory) == [_CLS]


def _used(directory):
    """Return the ways of pooling that the files name; none without files.

    Raises:
      InputError: for a file that is not JSON or has a wrong type, and for another way of pooling or
        several.
    """
    path = directory / POOLING
    if not path.exists():
        return []
    pooling = records.read(path, _Pooling)
    used = [name for name, is_used in msgspec.structs.asdict(pooling).items() if is_used]
    if used not in ([], [_CLS], [_MEAN]):
        raise InputError(f"{path}: this project pools by {_CLS} or {_MEAN} alone, and the model by "
                         f"{' and '.join(used)}")
    return used


def save(directory: Path, config: EncoderConfig) -> None:
    """Write the files for embeddings that are the mean of the tokens' states, scaled to length 1.

    Args:
      directory: of the model's config.json.
      config: of the encoder.
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
    modes = {"cls_token": False, "mean_tokens": True, "max_tokens": False,
             "mean_sqrt_len_tokens": False}
    _write(directory / POOLING, {
        "word_embedding_dimension": config.hidden_size,
        **{f"pooling_mode_{mode}": value for mode, value in modes.items()}})


def remove(directory: Path) -> None:
    """Remove the files that `save` wrote for another model."""
    for name in (_MODULES, _TRANSFORMER, POOLING):
        (directory / name).unlink(missing_ok=True)


def _write(path, content):
    write_atomically(path, json.dumps(content, indent=2).encode() + b"\n")
