"""Fingerprint: what has to be the same of a model for the same answers."""

import dataclasses
import hashlib
from pathlib import Path

import msgspec

from mobilebert_tf import files, records
from mobilebert_tf.running.model_runner import ModelRunner


class Fingerprint(msgspec.Struct, forbid_unknown_fields=True):
    """What identifies a model, as job.json has it.

    Args:
      sha256: of its files.
      kind: the name of its kind.
      length: the most tokens of a row.
      labels, settings: of the kind; None if it has none.
    """

    sha256: str
    kind: records.Text
    length: records.Size
    labels: list[records.Label] | None
    settings: dict | None


def of(path: Path, runner: ModelRunner) -> Fingerprint:
    """Return the fingerprint of a model.

    Args:
      path: of the model; of a directory all files count.
      runner: of the model. Settings may come from a file beside it.
    """
    kind, settings = runner.kind, runner.kind.used_settings
    return Fingerprint(_digest(path), kind.name, runner.length, kind.labels and list(kind.labels),
                       settings and dataclasses.asdict(settings))


def _digest(path):
    found = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            if path.is_dir():
                found.update(repr(str(file.relative_to(path))).encode())
            files.add_content(found, file)
    return found.hexdigest()
