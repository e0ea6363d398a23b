"""Files: outputs that are whole or absent. They are written beside their place, then renamed."""

import contextlib
import fcntl
import glob
import hashlib
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.reasons import reason

_UNFINISHED = ".unfinished"
# A workspace's name ends in 16 random digits. They show that the directory is ours.
_RANDOM_BYTES = 8
_MARK = f".{'[0-9a-f]' * 2 * _RANDOM_BYTES}{_UNFINISHED}"
# Bytes that are read at a time.
_BLOCK = 1 << 20
# In a workspace: its lock, the new version of a directory, and the one that it replaces.
_LOCK, _NEW, _REPLACED = ".lock", "new", "replaced"
# Paths that name a descriptor which the process has open.
_DESCRIPTOR = re.compile("/dev/(?:(stdout|stderr)|fd/([0-9]+))")
_DESCRIPTORS = {"stdout": 1, "stderr": 2}


def write_atomically(path: str | os.PathLike, data: bytes) -> None:
    """Write `data` to `path`; a reader sees the old file or the new one, never a part.

    Raises:
      InputError: when the path cannot be written (a directory, no permission, a full disk).
    """
    with written_atomically(path) as (temporary,):
        temporary.write_bytes(data)


@contextlib.contextmanager
def written_atomically(*paths: str | os.PathLike) -> Iterator[list[Path]]:
    """Yield a temporary path for each file; when the block ends, rename all of them into place.

    The temporary paths have the names and the order of `paths`. When the block raises, all files
    stay as they were. What a symbolic link leads to is replaced, and the link stays. A device or a
    pipe, such as /dev/stdout, is written into.

    Args:
      paths: files with different names. Those of one directory have temporary paths in one
        directory, too.
    Raises:
      InputError: when one cannot be written (a directory, no permission, a full disk).
    """
    paths = [_target(path) for path in paths]
    with contextlib.ExitStack() as stack:
        last = {_place(path): path for path in paths}  # of each place; it names the room
        rooms = {place: stack.enter_context(_room_for(path)) for place, path in last.items()}
        temporaries = [rooms[_place(path)] / path.name for path in paths]
        try:
            yield temporaries
            for temporary in temporaries:
                flush(temporary)
        except OSError as error:
            raise _cannot_write(paths[-1], error) from error
        for temporary, path in zip(temporaries, paths, strict=True):
            try:
                _put(temporary, path)
            except OSError as error:
                raise _cannot_write(path, error) from error


def check_only(directory: Path, names: set[str], what: str) -> None:
    """Raise InputError if a directory has anything in it but some names.

    Args:
      directory: that would be emptied; it need not exist.
      names: of all that may be in it.
      what: the thing that has these names, for the message.
    """
    others = sorted(one.name for one in directory.iterdir()
                    if one.name not in names) if directory.is_dir() else []
    if others:
        raise InputError(f"{directory} has {others[0]} in it, which is not of {what} and would be "
                         "deleted: name another directory")


def check_replaceable(directory: Path, names: set[str], what: str) -> None:
    """Raise InputError if `directory_written_atomically` cannot replace a directory, or should not.

    It cannot replace a file, a mounted file system, the working directory, or one above that. It
    should not if there is more in the directory than `check_only` allows.

    Args:
      directory, names, what: as of `check_only`.
    """
    _refuse_file(directory)
    place = directory.resolve()
    if Path.cwd().is_relative_to(place) or os.path.ismount(place):
        raise InputError(f"{directory} cannot be replaced as a whole: name a directory in it that "
                         "does not exist yet")
    check_only(directory, names, what)


def _refuse_file(directory):
    if directory.exists() and not directory.is_dir():
        raise InputError(f"cannot write the directory {directory}: there is a file of that name")


@contextlib.contextmanager
def directory_written_atomically(path: str | os.PathLike) -> Iterator[Path]:
    """Yield an empty directory that becomes `path` when the block succeeds.

    What was at `path` is replaced only then; when the block raises, it stays as it was.

    Raises:
      InputError: when there is a file at `path`, or the place cannot be written (no permission, a
        full disk).
    """
    path = _target(path)
    _refuse_file(path)
    with workspace(path) as room:
        temporary = room / _NEW
        try:
            temporary.mkdir()
            yield temporary
            _move_into_place(temporary, path, room / _REPLACED)
        except InputError as error:
            # The user knows the final path, not the temporary one.
            raise InputError(str(error).replace(str(temporary), str(path))) from error
        except shutil.Error as error:  # it lists the files that could not be copied, and why
            raise InputError(f"cannot write {path}: {error.args[0][0][2]}") from error
        except OSError as error:
            raise _cannot_write(path, error) from error


@contextlib.contextmanager
def workspace(path: str | os.PathLike) -> Iterator[Path]:
    """Yield an empty directory `.NAME.<random>.unfinished` beside `path`; remove it at the end.

    It is locked until then, and the system releases the lock however the process ends. An unlocked
    workspace was left by a killed process; the next workspace for the same path removes it.

    Raises:
      InputError: when the place cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path.parent.glob(f".{glob.escape(path.name)}{_MARK}"))
        room, lock = _new_workspace(path)
    except FileExistsError:
        raise InputError(f"cannot write {path}: {path.parent} is no directory") from None
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)
        os.close(lock)


def remove_unfinished(directory: str | os.PathLike) -> None:
    """Remove the workspaces that killed processes left in a directory or below it.

    Those of living processes stay.
    """
    _remove_abandoned(sorted(Path(directory).rglob(f".*{_MARK}"), reverse=True))


def flush(path: str | os.PathLike) -> None:
    """Make the system write a file or a directory to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_stream(path: str | os.PathLike) -> bool:
    """Return whether a path is of a device, a pipe or a socket, or names an open descriptor."""
    path = Path(path)
    return _DESCRIPTOR.fullmatch(os.fspath(path)) is not None or (
        path.exists() and not path.is_file() and not path.is_dir())


def _target(path):
    """Return the path to write to: a symbolic link's target."""
    path = Path(path)
    return Path(os.path.realpath(path)) if path.is_symlink() and not is_stream(path) else path


def _place(path):
    """Return the place whose files share a workspace: a directory, or a stream for itself."""
    return path if is_stream(path) else path.parent


@contextlib.contextmanager
def _room_for(path):
    """Yield a directory for the temporary file."""
    if not is_stream(path):
        with workspace(path) as room:
            yield room
        return
    with tempfile.TemporaryDirectory() as room:
        yield Path(room)


def _put(temporary, path):
    if not is_stream(path):
        os.replace(temporary, path)
        return
    with _stream(path) as stream:
        stream.write(temporary.read_bytes())


def _stream(path):
    named = _DESCRIPTOR.fullmatch(os.fspath(path))
    if named is None:
        return open(path, "wb")
    # Behind a descriptor may be a file. Opened again, it would be emptied, and be written from its
    # start; the same descriptor goes on where the last output ended.
    for printed in (sys.stdout, sys.stderr):
        if printed is not None:
            printed.flush()
    number = int(named[2]) if named[2] else _DESCRIPTORS[named[1]]
    return os.fdopen(os.dup(number), "wb")


def _new_workspace(path):
    """Make a workspace; return it and the descriptor that holds its lock."""
    while True:
        room = path.parent / f".{path.name}.{secrets.token_hex(_RANDOM_BYTES)}{_UNFINISHED}"
        room.mkdir()
        with contextlib.suppress(FileNotFoundError):
            lock = _open_lock(room)
            with contextlib.suppress(OSError):  # some network file systems have no locks
                fcntl.flock(lock, fcntl.LOCK_EX)
            # Before it was locked, another process may have removed it as abandoned.
            if _is_of(lock, room):
                return room, lock
            os.close(lock)


def _remove_abandoned(rooms):
    for room in rooms:
        if room.is_symlink():  # not ours: it leads to another's files
            continue
        # Without working locks, a living process's workspace looks like a killed one's.
        with contextlib.suppress(OSError):
            lock = _open_lock(room)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _put_back(room)
                shutil.rmtree(room, ignore_errors=True)
            finally:
                os.close(lock)


def _open_lock(room):
    return os.open(room / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)


def _is_of(lock, room):
    """Return whether the descriptor is that of the workspace's lock file."""
    try:
        return os.path.samestat(os.fstat(lock), os.stat(room / _LOCK))
    except FileNotFoundError:
        return False


def _put_back(room):
    """Undo the first rename of a `_move_into_place` that was killed before the second."""
    name = room.name.removesuffix(_UNFINISHED).rpartition(".")[0][1:]
    if (room / _REPLACED).exists() and not (room.parent / name).exists():
        os.replace(room / _REPLACED, room.parent / name)


def _move_into_place(new, path, replaced):
    """Rename `new` to `path`; if that fails, put back what was at `path`."""
    if not path.exists():
        os.replace(new, path)
        return
    os.replace(path, replaced)
    try:
        os.replace(new, path)
    except BaseException:
        os.replace(replaced, path)
        raise


def _cannot_write(path, error):
    return InputError(f"cannot write {path}: {reason(error)}")


def sha256(path: str | os.PathLike) -> str:
    """Return the checksum of a file's content in hexadecimal digits."""
    found = hashlib.sha256()
    add_content(found, path)
    return found.hexdigest()


def add_content(found, path: str | os.PathLike) -> None:
    """Add a file's content to a hash of hashlib, a block at a time."""
    with open(path, "rb") as stream:
        while block := stream.read(_BLOCK):
            found.update(block)
