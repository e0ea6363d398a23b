"""What the installers of clients share: a place that is made once, and a word for "not here"."""

import contextlib
import fcntl
import shutil
import subprocess


class Missing(Exception):
    """A client cannot be installed on this machine; the message says why."""


@contextlib.contextmanager
def installed_once(directory, requirements):
    """Yields whether the directory is still to be filled with the requirements.

    What an earlier run left is kept where it was complete and of the same requirements. Two runs
    of the tests take turns.
    """
    directory.mkdir(parents=True, exist_ok=True)
    done = directory / "installed.txt"
    wanted = "\n".join(requirements)
    with open(directory.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        is_there = done.is_file() and done.read_text() == wanted
        if not is_there:
            shutil.rmtree(directory)
            directory.mkdir()
        yield not is_there
        done.write_text(wanted)


def run(*command, **options):
    """Runs a step of an installation; `Missing` with its last words where it fails."""
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines() or [f"exit {done.returncode}"]
        raise Missing(f"`{' '.join(command[:4])} ...` failed: {words[-1]}")
    return done.stdout
