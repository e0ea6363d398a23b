"""Outputs that are whole or absent: written beside their place, then renamed into it."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mobilebert_tf.errors import InputError

_UNFINISHED = ".unfinished"


def write_atomically(path: str | os.PathLike, data: bytes) -> None:
    """Writes `data` to `path`; a reader sees the old file or the new one, never a part.

    Raises:
      InputError: when the path cannot be written (a directory, no permission, a full disk).
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
                dir=path.parent, prefix=f".{path.name}.", suffix=_UNFINISHED,
                delete=False) as file:
            temporary = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def remove_unfinished(directory: str | os.PathLike) -> None:
    """Removes what `write_atomically` had begun to write there when its process was killed.

    Only for a directory that no other process writes to.
    """
    for path in Path(directory).glob(f".*{_UNFINISHED}"):
        if path.is_file():
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def directory_written_atomically(path: str | os.PathLike) -> Iterator[Path]:
    """Yields an empty directory beside `path` that becomes `path` when the block succeeds.

    What was at `path` is replaced only then; when the block raises, it is as it was.

    Raises:
      InputError: when there is a file at `path`, or the place cannot be written.
    """
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise InputError(f"cannot write the directory {path}: there is a file of that name")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    try:
        os.chmod(temporary, 0o777 & ~_umask())
        yield temporary
        try:
            _move_into_place(temporary, path)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _move_into_place(new, path):
    """Renames; what was at `path` is put back when the new directory cannot take its place."""
    if not path.exists():
        os.replace(new, path)
        return
    aside = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        os.replace(path, aside / "old")
        os.replace(new, path)
    except BaseException:
        if (aside / "old").exists():
            os.replace(aside / "old", path)
        aside.rmdir()
        raise
    shutil.rmtree(aside)


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value
