"""EpochProgress: the progress of an epoch's training."""

import contextlib

import tf_keras as keras

from mobilebert_tf.terminal.progress import Progress


class EpochProgress(keras.callbacks.Callback, contextlib.AbstractContextManager):
    """Shows the steps of one epoch with a `Progress`; a context manager, so that errors end it.

    Keras's own bar needs a terminal, and shows nothing while the first step's graph is built.

    Args:
      epoch: number of the epoch, from 1.
      steps: number of steps in the epoch.
      builds: whether the first step builds the graph, which happens once a run.
      done: number of steps that an earlier process did; Keras counts from 0 after them.
    """

    def __init__(self, epoch: int, steps: int, builds: bool, done: int = 0):
        super().__init__()
        self._done = done
        self._progress = Progress(
            f"epoch {epoch}", steps, "steps",
            "building the graph of the first step (once)" if builds else None)
        self._stack = contextlib.ExitStack()

    def __enter__(self):
        self._stack.enter_context(self._progress)
        return self

    def __exit__(self, *_):
        self._stack.close()

    def on_train_batch_end(self, batch, logs=None):
        self._progress.update(self._done + batch + 1)

    def on_epoch_end(self, epoch, logs=None):
        """End the display: the evaluation that follows has its own."""
        self._stack.close()
