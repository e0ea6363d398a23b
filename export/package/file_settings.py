"""The settings that a package has for one of its files."""

from pathlib import Path

from mobilebert_tf import records
from mobilebert_tf.data.features.settings import KindSettings
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
    path = file.parent / DESCRIPTION
    if not path.exists():
        return None
    facts = records.read(path, dict)
    entries = facts.get("files")
    listed = [entry.get("file") for entry in entries if isinstance(entry, dict)] if isinstance(
        entries, list) else []
    return kind.read_settings(facts.get("settings"), str(path)) if file.name in listed else None
