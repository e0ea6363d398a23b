"""What a package says of one of its files: its settings, and whether it reads pairs of texts."""

import os
from pathlib import Path

from mobilebert_tf import records
from mobilebert_tf.data.features.settings import KindSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file.metadata import Metadata
from mobilebert_tf.export.package.directory import DESCRIPTION
from mobilebert_tf.kinds.kind import Kind


def settings_of(file: Path, kind: Kind) -> KindSettings | None:
    """Return the settings that a package's model.json has for one of its files.

    None for a file without a model.json that lists it, and if that has no settings.

    Args:
      file: the path of the file.
      kind: of its model.

    Raises:
      InputError: where the model.json beside the file is none, or its settings mean nothing.
    """
    return kind.read_settings(_facts(file).get("settings"), str(file.parent / DESCRIPTION))


def pairs_of(file: Path, known: Metadata) -> bool | None:
    """Return whether a file reads pairs of texts; None if that is not known.

    The model.json of its package says so. Without one, or if that does not say, the file does.

    Args:
      file: the path of the file.
      known: its metadata.

    Raises:
      InputError: where the model.json beside the file is none.
    """
    found = _facts(file).get("pairs")
    return found if isinstance(found, bool) else known.pairs


def check_single_texts(model: str | os.PathLike, pairs: bool | None) -> None:
    """Raise InputError if a model reads pairs: single texts do not tell how long pairs are.

    Args:
      model: its path.
      pairs: whether it reads pairs of texts; None if that is not known.
    """
    if pairs:
        raise InputError(f"{model} reads pairs of texts, whose lengths single texts do not tell: "
                         "name a model of single texts")


def _facts(file):
    """The content of the model.json beside a file; empty if there is none that lists the file."""
    path = file.parent / DESCRIPTION
    if not path.exists():
        return {}
    facts = records.read(path, dict)
    entries = facts.get("files")
    listed = [entry.get("file") for entry in entries if isinstance(entry, dict)] if isinstance(
        entries, list) else []
    return facts if file.name in listed else {}
