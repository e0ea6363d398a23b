"""A package on the disk: recognised by its checksums, and replaced as a whole."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from mobilebert_tf import files, records
from mobilebert_tf.data.features.settings import Settings
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import directory_written_atomically, write_atomically
from mobilebert_tf.kinds.kind import Kind

DESCRIPTION = "model.json"
_SUMS = "SHA256SUMS"


class _Gate(msgspec.Struct):
    task: records.Text | None = None
    metric: records.Text | None = None
    file_score: float | None = None


class _File(msgspec.Struct):
    file: records.FileName
    bytes: records.Count
    sha256: str
    recipe: records.Text
    gate: _Gate | None = None


class _Facts(msgspec.Struct):
    """The fields of a package's model.json that programs read."""

    name: records.Label | None = None
    kind: records.Text | None = None
    lengths: list[records.Size] | None = None
    signatures: dict[str, str] | None = None
    inputs: dict[str, dict] | None = None
    outputs: dict[str, dict] | None = None
    labels: list[records.Label] | None = None
    lower_case: bool | None = None
    pairs: bool | None = None
    samples: list[str] = []
    files: Annotated[list[_File], msgspec.Meta(min_length=1)] = []
    settings: Any = None


def is_package(path: Path) -> bool:
    """Return whether there is a package at the path."""
    return (path / _SUMS).exists() and (path / DESCRIPTION).exists()


def check_place(directory: Path) -> None:
    """Raise InputError if writing would delete something that is not of a package."""
    files.check_replaceable(directory, _names(directory), "a package")


def _names(directory):
    """Return the names of a package's files; none if there is no package."""
    try:
        lines = (directory / _SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    names = {line.partition("  ")[2] for line in lines}
    # Others check their files so, too.
    return {_SUMS, *names} if DESCRIPTION in names else set()


def write(directory: Path, members: Mapping[str, bytes]) -> None:
    """Write files with their checksums, replacing an earlier package.

    Args:
      directory: the directory to write.
      members: content by name.
    Raises:
      InputError: for a directory with other files in it, or one that cannot be written.
    """
    check_place(directory)
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n"
                   for name, content in sorted(members.items()))
    with directory_written_atomically(directory) as temporary:
        for name, content in {**members, _SUMS: sums.encode()}.items():
            write_atomically(temporary / name, content)


def read_facts(directory: Path) -> dict:
    """Read a package's model.json.

    Raises:
      InputError: if it cannot be read, or a field has the wrong type.
    """
    path = directory / DESCRIPTION
    records.read(path, _Facts)
    return records.read(path, dict)


def first_file(path: Path) -> Path:
    """Return the first file of the package at a path; the path itself if there is no package.

    Raises:
      InputError: if the package's model.json is damaged.
    """
    if not is_package(path):
        return path
    listed = records.read(path / DESCRIPTION, _Facts).files
    if not listed:
        raise InputError(f"{path / DESCRIPTION} names no files: get the package again")
    return path / listed[0].file


def settings_of(file: Path, kind: Kind) -> Settings | None:
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


def to_json(facts: dict) -> str:
    """Return the text of a model.json."""
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
