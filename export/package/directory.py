"""A package on the disk: recognised by its checksums, and replaced as a whole."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from mobilebert_tf import files, records
from mobilebert_tf.export.package.package_facts import PackageFacts
from mobilebert_tf.files import directory_written_atomically, write_atomically

DESCRIPTION = "model.json"
_SUMS = "SHA256SUMS"


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


def read(directory: Path) -> PackageFacts:
    """Read what programs need of a package's model.json.

    Raises:
      InputError: if it cannot be read, or a field is missing or has the wrong type.
    """
    return records.read(directory / DESCRIPTION, PackageFacts)


def read_all(directory: Path) -> dict:
    """Read all that a package's model.json says, to write it on; raise InputError as `read`."""
    read(directory)
    return records.read(directory / DESCRIPTION, dict)


def first_file(path: Path) -> Path:
    """Return the first file of the package at a path; the path itself if there is no package.

    Raises:
      InputError: if the package's model.json is damaged.
    """
    return path / read(path).files[0].file if is_package(path) else path


def to_json(facts: dict) -> str:
    """Return the text of a model.json."""
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
