"""Parts: the results of long work on numbered rows, range by range, on disk."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mobilebert_tf import files, records
from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming import same_run
from mobilebert_tf.resuming.lock import LOCK, locked

_RUN = "run.json"


class Parts:
    """A file for each range of rows that is done; none is half-written.

    Args:
      directory: for the files; no other program should write there.
      run: JSON values that identify the work: its input, its settings, its model.
    """

    def __init__(self, directory: str | os.PathLike, run: dict):
        self._directory = Path(directory)
        self._run = json.loads(json.dumps(run))

    @contextlib.contextmanager
    def opened(self, waits: Callable[[str], None] | None = None) -> Iterator[None]:
        """Lock the directory, and remove what killed processes left half-written.

        Args:
          waits: takes a sentence while another process has it open, and the block runs when that
            is done; None to raise.
        Raises:
          InputError: while another process has it open, unless there is `waits`; if its parts are
            of another run; if it has other files in it, and no run; or if it cannot be written.
        """
        path = self._directory / _RUN
        with locked(self._directory, f"another process is at work in {self._directory}", waits):
            files.remove_unfinished(self._directory)
            if path.exists():
                same_run.check(self._directory, records.read(path, dict), self._run,
                               "give the same arguments, or remove this directory to begin anew")
            else:
                files.check_only(self._directory, {LOCK}, "such a run")
                files.write_atomically(path, json.dumps(self._run, indent=2).encode() + b"\n")
            yield

    def read(self, rows: range) -> list[Any] | None:
        """Return the results of these rows, JSON values; None if they are not there or damaged."""
        path = self._path(rows)
        if not path.exists():
            return None
        try:
            found = records.read(path, list)
        except InputError:
            return None
        return found if len(found) == len(rows) else None

    def write(self, rows: range, results: list[Any]) -> None:
        """Write the results of these rows, one JSON value each.

        Raises:
          InputError: when they cannot be written.
        """
        files.write_atomically(self._path(rows), json.dumps(results).encode())

    def _path(self, rows):
        return self._directory / f"rows-{rows.start:08d}-{rows.stop:08d}.json"
