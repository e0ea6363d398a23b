"""Text files: finding them, and opening them on any file system that Beam knows."""

import dataclasses
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.checks import check_several
from mobilebert_tf.errors import InputError

_HEAD_BYTES = 64 << 10
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".lz4", ".7z")


@dataclasses.dataclass(frozen=True)
class TextFile:
    """A text file; files of the same content have the same key."""

    path: str
    size: int
    key: bytes


def use_flags(flags: Sequence[str] = ()) -> None:
    """Give Beam's file systems their flags, such as `--s3_endpoint_url`.

    A process needs it before it reads from an object store, also without flags. Not every runner
    does it in its workers.
    """
    from apache_beam.io.filesystems import FileSystems
    from apache_beam.options.pipeline_options import PipelineOptions

    FileSystems.set_options(PipelineOptions(list(flags)))


def find_files(patterns: Sequence[str], flags: Sequence[str] = ()) -> list[TextFile]:
    """Find the files of paths, globs and directories (*.txt at any depth), sorted by name.

    Args:
      patterns: paths and directories of this machine, and globs of any file system that Beam knows.
      flags: Beam's own flags, of which file systems take theirs.
    Raises:
      InputError: if a pattern is empty or matches no file, or a file cannot be read or is
        compressed.
    """
    check_several(texts=patterns)
    use_flags(flags)
    sizes = {}
    for pattern in map(str, patterns):
        if not pattern:
            raise InputError("an empty path was given for the texts: name a file, a glob or a "
                             "directory, such as . for this one")
        found = _sizes(pattern)
        if not found:
            raise InputError(f"there is no text at {pattern}; give a file, a glob that matches "
                             "files, or a directory with .txt files")
        sizes.update(found)
    return [_text_file(path, sizes[path]) for path in sorted(sizes)]


def open_file(path: str):
    """Open a file of any file system that Beam knows, for reading bytes."""
    from apache_beam.io.filesystem import CompressionTypes
    from apache_beam.io.filesystems import FileSystems

    return FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED)


def digest(*parts) -> bytes:
    """Return eight bytes that depend on the parts alone."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()


def _sizes(pattern):
    """Return {path: bytes} of a pattern's files; an existing local path is no glob."""
    path = Path(os.path.abspath(pattern))
    if path.is_file():
        return {str(path): path.stat().st_size}
    if path.is_dir():
        return {str(file): file.stat().st_size
                for file in path.rglob("*.txt") if file.is_file()}
    from apache_beam.io.filesystem import BeamIOError
    from apache_beam.io.filesystems import FileSystems

    try:
        (matched,) = FileSystems.match([pattern if "://" in pattern else str(path)])
    except (BeamIOError, ValueError, OSError) as error:
        raise InputError(f"cannot look for {pattern}: {error}") from error
    return {entry.path: entry.size_in_bytes for entry in matched.metadata_list
            if not os.path.isdir(entry.path)}


def _text_file(path, size):
    if path.lower().endswith(_COMPRESSED):
        raise InputError(f"{path} is compressed; unpack it first")
    try:
        with open_file(path) as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    return TextFile(path, size, digest(size, head))
