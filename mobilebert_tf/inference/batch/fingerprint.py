"""The fingerprint of a model: what has to be the same for the same answers."""

import dataclasses
import hashlib
from pathlib import Path

from mobilebert_tf.running.model_runner import ModelRunner

_BLOCK = 1 << 20


def of(path: Path, runner: ModelRunner) -> dict:
    """Return JSON values that identify a model: its files, its kind, labels, settings and length.

    Args:
      path: of the model; of a directory all files count.
      runner: of the model. Settings may come from a file beside it.
    """
    kind, settings = runner.kind, runner.kind.used_settings
    return {"sha256": _digest(path), "kind": kind.name, "length": runner.length,
            "labels": kind.labels and list(kind.labels),
            "settings": settings and dataclasses.asdict(settings)}


def _digest(path):
    found = hashlib.sha256()
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            if path.is_dir():
                found.update(repr(str(file.relative_to(path))).encode())
            with open(file, "rb") as stream:
                while block := stream.read(_BLOCK):
                    found.update(block)
    return found.hexdigest()
