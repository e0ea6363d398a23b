"""WithinEpoch: checkpoints before the end of an epoch."""

import time
from collections.abc import Callable, Sequence

import tensorflow as tf
import tf_keras as keras


class WithinEpoch(keras.callbacks.Callback):
    """Writes a checkpoint of a part of an epoch now and then, and when the run is to stop.

    An epoch can take hours. An epoch that continues reports the mean losses of all its steps. So a
    checkpoint holds the sums behind these means. Keras sets the sums to 0 when an epoch begins, and
    this callback then sets them to their restored values.

    Args:
      steps: number of steps in the epoch.
      done: number of them that an earlier process did; Keras counts from 0 after them.
      sums: the variables behind the mean losses; they hold those of the steps that are done.
      stop: () -> whether the run is to stop.
      save: writes a checkpoint after so many steps of the epoch.
      every: seconds between checkpoints.
    """

    def __init__(self, steps: int, done: int, sums: Sequence[tf.Variable],
                 stop: Callable[[], object], save: Callable[[int], None], every: float):
        super().__init__()
        self._steps, self._done, self._sums = steps, done, sums
        self._values = [variable.numpy() for variable in sums]
        self._stop, self._save, self._every = stop, save, every
        self._saved = time.monotonic()

    def on_epoch_begin(self, epoch, logs=None):
        if self._done:
            for variable, value in zip(self._sums, self._values, strict=True):
                variable.assign(value)

    def on_train_batch_end(self, batch, logs=None):
        done = self._done + batch + 1
        # The end of an epoch has its own checkpoint, and weights that are lost are not saved.
        if done == self._steps or self.model.stop_training:
            return
        if self._stop() or time.monotonic() - self._saved >= self._every:
            self._save(done)
            self._saved = time.monotonic()
