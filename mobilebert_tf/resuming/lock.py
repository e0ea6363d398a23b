"""A lock on a directory, against other processes."""

import contextlib
import fcntl
from collections.abc import Callable, Iterator
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.reasons import reason

# The name of the file, in the directory, that is locked.
LOCK = ".lock"


@contextlib.contextmanager
def locked(directory: Path, busy: str,
           waits: Callable[[str], None] | None = None) -> Iterator[None]:
    """Make a directory, unless it is there, and lock it while the block runs.

    Args:
      directory: to lock.
      busy: what to say while another process has it, such as "another process is training here".
      waits: takes that sentence, and the block runs when the other process is done; None to raise.
    Raises:
      InputError: while another process has it locked, unless there is `waits`; or when it cannot be
        written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file = open(directory / LOCK, "w")  # noqa: SIM115
    except OSError as error:
        raise InputError(f"cannot write {directory}: {reason(error)}") from error
    with file:
        try:
            # The system releases the lock however the process ends.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if waits is None:
                raise InputError(f"{busy}; wait for it, or stop it") from error
            waits(f"{busy}; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            pass  # Some network file systems have no locks.
        yield
