"""RunCheckpoints: everything that a run continues from, never half-written, the last few kept."""

import dataclasses
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.files import directory_written_atomically

_WEIGHTS, _POSITION = "weights", "position.json"


@dataclasses.dataclass(frozen=True, order=True)
class Position:
    """Where a run stands: in which stage, counted from 0, and how many of its steps are done."""

    stage: int
    step: int


class RunCheckpoints:
    """Checkpoints of a run, one directory each, written beside its place and renamed.

    A checkpoint holds what is passed to `save` (variables of model, optimizers and random
    generators, in TensorFlow's format, with a checksum for every tensor) and the position, from
    which the order of the data and its masks follow.

    Args:
      directory: of all checkpoints of the run.
      run: what tells this run from others, as JSON: configs, stages, seed.
      keep: how many checkpoints stay; the older ones are removed.
      writes: whether this process's checkpoint is kept; other workers of a run write where nobody
        looks, since all of them must take part.
    """

    def __init__(self, directory: str | os.PathLike, run: dict, keep: int = 3,
                 writes: bool = True):
        self._directory = Path(directory)
        self._run = json.loads(json.dumps(run))
        self._keep = keep
        self._writes = writes

    def save(self, position: Position, state: tf.train.Checkpoint) -> None:
        """Writes a checkpoint, and removes those that are no longer kept.

        Raises:
          InputError: when it cannot be written; those before it are as they were.
        """
        path = self._path(position)
        if not self._writes:
            path = path.with_name(f".{path.name}.worker-{os.getpid()}")
        try:
            with directory_written_atomically(path) as temporary:
                state.write(str(temporary / _WEIGHTS))
                (temporary / _POSITION).write_text(json.dumps(
                    {**dataclasses.asdict(position), "run": self._run}))
        except (OSError, tf.errors.OpError) as error:
            message = getattr(error, "message", None) or error
            raise InputError(f"cannot write the checkpoint {path}: {message}; run the same command "
                             "again to continue from the one before it") from error
        if not self._writes:
            shutil.rmtree(path)
            return
        for old in self._found()[: -self._keep]:
            shutil.rmtree(self._path(old), ignore_errors=True)

    def restore(self, state_at: Callable[[Position], tf.train.Checkpoint],
                say: Callable[[str], None]) -> Position | None:
        """Restores the newest checkpoint that is whole; None where there is none at all.

        Args:
          state_at: position -> what a checkpoint of that position holds.
          say: takes a line about each checkpoint that cannot be used.
        Raises:
          InputError: when a checkpoint is of another run, or none of them can be read.
        """
        positions = self._found()
        for position in reversed(positions):
            path = self._path(position)
            try:
                self._check_run(path)
                state_at(position).read(str(path / _WEIGHTS)).assert_consumed()
            except (OSError, ValueError, KeyError, AssertionError, tf.errors.OpError) as error:
                reason = str(getattr(error, "message", None) or error).split("\n")[0]
                say(f"checkpoint {path} cannot be read ({reason}); trying the one before it")
                continue
            return position
        if positions:
            raise InputError(f"none of the checkpoints in {self._directory} can be read; choose "
                             "another output directory")
        return None

    def _check_run(self, path):
        run = json.loads((path / _POSITION).read_text())["run"]
        different = sorted(name for name in {*run, *self._run}
                           if run.get(name) != self._run.get(name))
        if different:
            raise InputError(f"{path} is of another run: it differs in {', '.join(different)}; "
                             "give the same arguments or another output directory")

    def _found(self):
        """The positions of all checkpoints, oldest first."""
        positions = []
        for path in self._directory.glob("stage-*-step-*"):
            _, stage, _, step = path.name.split("-")
            positions.append(Position(int(stage), int(step)))
        return sorted(positions)

    def _path(self, position):
        return self._directory / f"stage-{position.stage:02d}-step-{position.step:08d}"
