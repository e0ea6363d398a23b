"""RunCheckpoints: all that a run continues from; the last few are kept, none is half-written."""

import contextlib
import dataclasses
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import tensorflow as tf

from mobilebert_tf import files, records
from mobilebert_tf.errors import InputError
from mobilebert_tf.reasons import reason
from mobilebert_tf.resuming import same_run
from mobilebert_tf.resuming.lock import LOCK, locked
from mobilebert_tf.resuming.position import Position

# Where a run keeps them, in its own directory.
DIRECTORY = "checkpoints"
_WEIGHTS, _POSITION = "weights", "position.json"
_NAME = re.compile(r"stage-(\d+)-step-(\d+)")


class _Position(msgspec.Struct, forbid_unknown_fields=True):
    """position.json: the position, and what identifies the run."""

    stage: records.Count
    step: records.Count
    run: dict


def exist(directory: Path) -> bool:
    """Return whether there are checkpoints of a run in a directory."""
    return any(_NAME.fullmatch(path.name) for path in directory.glob("stage-*"))


class RunCheckpoints:
    """Checkpoints of a run, one directory each, written beside their place and renamed.

    A checkpoint holds the variables that are passed to `save`, in TensorFlow's format with a
    checksum for every tensor, and the position, which decides the order of the data and the masks.

    Args:
      directory: for all checkpoints of the run.
      run: JSON values that identify the run: configs, stages, seed.
      keep: how many checkpoints are kept; older ones are removed.
      writes: False for the workers of a run whose checkpoints are not kept. All workers must take
        part in writing, so these write to a temporary directory.
    """

    def __init__(self, directory: str | os.PathLike, run: dict, keep: int = 3,
                 writes: bool = True):
        self._directory = Path(directory)
        self._run = json.loads(json.dumps(run))
        self._keep = keep
        self._writes = writes

    def save(self, position: Position, state: tf.train.Checkpoint) -> None:
        """Write a checkpoint; remove those that are no longer kept.

        Checkpoints of later positions are removed too. They are damaged; otherwise the run would
        have continued from them.

        Raises:
          InputError: when it cannot be written; earlier checkpoints are kept.
        """
        path = self._path(position)
        place = files.directory_written_atomically if self._writes else files.workspace
        with place(path) as temporary:
            try:
                state.write(str(temporary / _WEIGHTS))
                (temporary / _POSITION).write_text(json.dumps(
                    {**dataclasses.asdict(position), "run": self._run}))
                for written in (*temporary.iterdir(), temporary):
                    # Must be on the disk before older checkpoints are removed.
                    files.flush(written)
            except (OSError, tf.errors.OpError) as error:
                raise InputError(f"cannot write the checkpoint {path}: {reason(error)}; run it "
                                 "again with the same arguments to continue from the one before "
                                 "it") from error
        self._remove_others(position)

    def restore(self, state_at: Callable[[Position], tf.train.Checkpoint],
                say: Callable[[str], None]) -> Position | None:
        """Restore the newest checkpoint that is whole; return its position, None without any.

        Also removes the checkpoints that `save` did not remove because its process was killed.

        Args:
          state_at: position -> the variables of a checkpoint of that position.
          say: takes a line about each checkpoint that is damaged.
        Raises:
          InputError: when a checkpoint belongs to another run, or none of them can be read.
        """
        positions = self._found()
        for position in reversed(positions):
            path = self._path(position)
            try:
                run = _read_whole(path)
            except (OSError, ValueError, LookupError, TypeError, tf.errors.OpError) as error:
                self._say_damaged(say, path, error)
                continue
            self._check_run(path, run)
            try:
                state_at(position).read(str(path / _WEIGHTS)).assert_consumed()
            except (AssertionError, tf.errors.OpError) as error:
                self._say_damaged(say, path, error)
                continue
            self._remove_others(position)
            return position
        if positions:
            raise InputError(f"none of the checkpoints in {self._directory} can be read; choose "
                             "another output directory")
        return None

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Lock the directory against other processes.

        Raises:
          InputError: while another process has it open, or when it cannot be written.
        """
        if not self._writes:
            yield
            return
        with locked(self._directory, f"another process is training in {self._directory.parent}"):
            yield

    def clear(self) -> None:
        """Remove all checkpoints, and their directory if nothing else is in it."""
        files.remove_unfinished(self._directory)
        for position in self._found():
            shutil.rmtree(self._path(position), ignore_errors=True)
        (self._directory / LOCK).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it is gone, or not empty
            self._directory.rmdir()

    def newest(self) -> Path | None:
        """Return the newest checkpoint's directory."""
        found = self._found()
        return self._path(found[-1]) if found else None

    def _say_damaged(self, say, path, error):
        say(f"checkpoint {path} cannot be read ({reason(error)}); trying the one before it")

    def _remove_others(self, position):
        """Remove checkpoints that are no longer kept, and those of later positions."""
        if not self._writes:
            return
        found = self._found()
        at = found.index(position)
        for other in found[: max(at + 1 - self._keep, 0)] + found[at + 1 :]:
            shutil.rmtree(self._path(other), ignore_errors=True)

    def _check_run(self, path, run):
        same_run.check(path, run, self._run, "give the same arguments or another output directory")

    def _found(self):
        """Return the positions of all checkpoints, oldest first."""
        matches = [_NAME.fullmatch(path.name) for path in self._directory.glob("stage-*")]
        return sorted(Position(*map(int, match.groups())) for match in matches if match)

    def _path(self, position):
        return self._directory / f"stage-{position.stage:02d}-step-{position.step:08d}"


def _read_whole(path):
    """Read all tensors of a checkpoint, which compares their checksums; return its run.

    This is done before anything is restored, so that no model is restored by half.
    """
    run = records.read(path / _POSITION, _Position).run
    reader = tf.train.load_checkpoint(str(path / _WEIGHTS))
    for name in reader.get_variable_to_shape_map():
        reader.get_tensor(name)
    return run
