"""The files that tell sentence-transformers how a model embeds a text.

Source: sentence-transformers' Transformer, Pooling and Normalize. Its releases before 6 name the
ways of pooling by a flag each, as all-MiniLM-L6-v2's directory does, and release 6 by
`pooling_mode`; both are read.
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
_MODES: dict[str, EmbeddingPooler] = {"cls": "first_token", "mean": "mean"}
_FLAGS = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean",
          "pooling_mode_max_tokens": "max",
          "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
          "pooling_mode_weightedmean_tokens": "weightedmean",
          "pooling_mode_lasttoken": "lasttoken"}
_MODULES, _TRANSFORMER = "modules.json", "sentence_bert_config.json"
_KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")


class _Pooling(msgspec.Struct):
    """The ways of pooling; an embedding is their results in a row. `pooling_mode` goes first."""

    pooling_mode: str | list[str] | None = None
    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = False
    pooling_mode_max_tokens: bool = False
    pooling_mode_mean_sqrt_len_tokens: bool = False
    pooling_mode_weightedmean_tokens: bool = False
    pooling_mode_lasttoken: bool = False

    @property
    def modes(self) -> list[str]:
        """The names of the ways; like sentence-transformers, the mean if none is named."""
        if self.pooling_mode is not None:
            return [self.pooling_mode] if isinstance(self.pooling_mode, str) else self.pooling_mode
        return [mode for flag, mode in _FLAGS.items() if getattr(self, flag)] or ["mean"]


class _Module(msgspec.Struct):
    """A step from text to embedding; `type` ends in the name of its class."""

    type: str


def pooler(directory: Path) -> EmbeddingPooler | None:
    """Return how the files say that an embedding is made; None without files.

    Raises:
      InputError: for a file that is not JSON or has a wrong type, for another way of pooling or
        several, and for a module after the pooling that changes the embedding.
    """
    modules = directory / _MODULES
    if modules.exists():
        names = [one.type.rpartition(".")[2] for one in records.read(modules, list[_Module])]
        if others := [name for name in names if name not in _KNOWN_MODULES]:
            raise InputError(f"{modules}: this project has no {' and no '.join(others)} of "
                             "sentence-transformers, so its embeddings would be others; without "
                             "this file, the model is read as an encoder")
    path = directory / POOLING
    if not path.exists():
        return None
    modes = records.read(path, _Pooling).modes
    if len(modes) != 1 or modes[0] not in _MODES:
        raise InputError(f"{path}: this project pools by {' or '.join(_MODES)} alone, and the "
                         f"model by {' and '.join(modes)}")
    return _MODES[modes[0]]


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
        "pooling_mode_cls_token": embedding_pooler == "first_token",
        "pooling_mode_mean_tokens": embedding_pooler == "mean",
        "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False})


def remove(directory: Path) -> None:
    """Remove the files that `save` wrote for another model."""
    for name in (_MODULES, _TRANSFORMER, POOLING):
        (directory / name).unlink(missing_ok=True)


def _write(path, content):
    write_atomically(path, json.dumps(content, indent=2).encode() + b"\n")
