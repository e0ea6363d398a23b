"""TensorBoardLog: the curves of a run in one event file, also if several processes ran it."""

import contextlib
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.reasons import reason

_PREFIX = "events.out.tfevents."
_METADATA = tf.compat.v1.SummaryMetadata(
    plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="scalars"), data_class=1)


class TensorBoardLog:
    """Writes scalars for TensorBoard.

    A process that continues a run writes all scalars up to the checkpoint again, from the run's
    own record, and removes the files of the processes before: nothing is missing or there twice.
    It writes immediately, so that errors are raised here and not in a thread of TensorFlow.

    Args:
      directory: what TensorBoard's `--logdir` names.
    """

    def __init__(self, directory: str | os.PathLike):
        self._directory = Path(directory)
        self._writer = None

    def start(self, recorded: Iterable[tuple[int, Mapping[str, float]]]) -> None:
        """Begin a file with what the run's record holds: steps and scalars by their names.

        Raises:
          InputError: when it cannot be written.
        """
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            # Those of other programs have the machine's name behind the number.
            before = [path for path in self._directory.glob(f"{_PREFIX}*")
                      if path.name.removeprefix(_PREFIX).isdecimal()]
            # TensorBoard reads the files in the order of their names.
            self._writer = tf.io.TFRecordWriter(
                str(self._directory / f"{_PREFIX}{time.time_ns()}"))
            self._add(file_version="brain.Event:2")
            # TensorBoard that has read the files before forgets what stands in them.
            self._add(session_log=tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START))
            for step, scalars in recorded:
                self._add_scalars(step, scalars)
            self._writer.flush()
            for path in before:
                path.unlink(missing_ok=True)
        except (OSError, tf.errors.OpError) as error:
            raise self._cannot_write(error) from error

    def write(self, step: int, scalars: Mapping[str, float]) -> None:
        """Write the scalars of a step, so that TensorBoard sees them.

        Raises:
          InputError: when they cannot be written.
        """
        try:
            self._add_scalars(step, scalars)
            self._writer.flush()
        except (OSError, tf.errors.OpError) as error:
            raise self._cannot_write(error) from error

    def close(self) -> None:
        """Close the file, where there is one."""
        if self._writer is not None:
            # All of it was flushed already; on a full disk that raised an error.
            with contextlib.suppress(tf.errors.OpError):
                self._writer.close()
            self._writer = None

    def _add_scalars(self, step, scalars):
        self._add(step=step, summary=tf.compat.v1.Summary(value=[
            tf.compat.v1.Summary.Value(tag=tag, metadata=_METADATA,
                                       tensor=tf.make_tensor_proto(value, tf.float32))
            for tag, value in scalars.items()]))

    def _add(self, **fields):
        self._writer.write(
            tf.compat.v1.Event(wall_time=time.time(), **fields).SerializeToString())

    def _cannot_write(self, error):
        return InputError(f"cannot write {self._directory}: {reason(error)}; run it again with "
                          "the same arguments to continue from the last checkpoint")
