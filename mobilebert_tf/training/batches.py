"""Batches: the batches of one stage, as far as the training loop knows."""

import contextlib
from typing import Protocol

import tensorflow as tf


class Batches(Protocol):
    """The batches of one split, as one stage needs them; `CorpusBatches` is one.

    A batch is a function of its step alone, so that a run can continue at any step.
    """

    steps_per_epoch: int

    def dataset(self, first_step: int, worker: int, workers: int) -> tf.data.Dataset:
        """Return endless batches from a step on: the rows of one of several equal parts.

        A batch is a dict of tensors, each with a static first dimension. It holds the encoder's
        inputs and all that the losses of the stage read by name: labels, masked positions, or
        outputs of a teacher that were computed before.
        """

    def reading_errors(self) -> contextlib.AbstractContextManager[None]:
        """Return a context for the use of a dataset, which raises its errors as InputError."""
