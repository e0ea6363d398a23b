"""The JSON file of a cascade: two models by name and checksum, and the threshold between them.

Python's `predict` and the cores of the Android and the web demo read it.
"""

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from mobilebert_tf import records
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import sha256, write_atomically
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.reasons import reason


@dataclasses.dataclass(frozen=True)
class CascadeFile:
    """What opens a cascade.

    Args:
      models: the paths of the first and of the second model.
      threshold: the first answer stands where its confidence is above it.
    """

    models: tuple[Path, Path]
    threshold: float


class _Model(msgspec.Struct):
    file: records.Text
    sha256: str


class _Cascade(msgspec.Struct):
    """The fields that Python reads; the checksums stand for kind and labels."""

    threshold: Annotated[float, msgspec.Meta(ge=0, le=1)]
    files: Annotated[list[_Model], msgspec.Meta(min_length=2, max_length=2)]


def read(path: str | os.PathLike) -> CascadeFile:
    """Read a cascade's file.

    Raises:
      InputError: for a file that is no cascade, and for models that are missing or not those for
        which the threshold was chosen.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"there is no model {path}")
    found = records.read(path, _Cascade)
    models = tuple(path.parent / one.file for one in found.files)
    for model, one in zip(models, found.files, strict=True):
        # False for names that no file can have, for which Path.is_file raises.
        if not os.path.isfile(model):
            raise InputError(f"{path} names {one.file}, and there is no file {model}")
        try:
            digest = sha256(model)
        except OSError as error:
            raise InputError(f"cannot read {model}: {reason(error)}") from error
        if digest != one.sha256:
            raise InputError(f"{model} is not the file for which the threshold in {path} was "
                             "chosen: choose it again with mobilebert cascade")
    return CascadeFile(models, found.threshold)


def check_names(models: Sequence[Path]) -> None:
    """Raise InputError for a model whose name is not UTF-8, which a JSON file cannot hold."""
    for model in models:
        records.check_characters("a cascade names its files", str(model), str(model))


def write(path: str | os.PathLike, models: Sequence[Path], kind: Kind, threshold: float,
          facts: Mapping) -> None:
    """Write a cascade's file.

    Args:
      path: of the file. The models are named as seen from its directory.
      models: the paths of the first and of the second file.
      kind: of both, with the labels.
      threshold: see `CascadeFile`.
      facts: how it was chosen, for people.
    Raises:
      InputError: as `check_names` does, and if the file cannot be written.
    """
    path = Path(path)
    check_names(models)
    content = {
        "kind": kind.name, "labels": kind.labels and list(kind.labels), "threshold": threshold,
        "files": [{"file": _seen_from(path.parent, model),
                   "bytes": model.stat().st_size, "sha256": sha256(model)} for model in models],
        **facts}
    write_atomically(path, json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")


def _seen_from(directory, model):
    return Path(os.path.relpath(model.resolve(), directory.resolve())).as_posix()
