"""TaskBatches: batches of rows of a task."""

import contextlib

import numpy as np
import tensorflow as tf

from mobilebert_tf.data import generated
from mobilebert_tf.data.features.batches import width_for
from mobilebert_tf.data.untuned import untuned
from mobilebert_tf.errors import InputError
from mobilebert_tf.training.task.task_rows import TaskRows
from mobilebert_tf.training.task.teacher_outputs import TeacherOutputs

# Batches that are sorted by length together. All rows at once would put the same rows into one
# batch again and again.
_POOL_BATCHES = 128
_AHEAD = 4


class TaskBatches:
    """Batches of rows of similar length; a batch is a function of its step and the seed.

    An epoch has each row once, but for less than a batch of rows that are left out.

    Args: see `TaskSource`.
    """

    def __init__(self, rows: TaskRows, length: int, pad_id: int, batch_size: int, seed: int,
                 teacher: TeacherOutputs | None = None, static_shapes: bool = False):
        self._rows, self._length, self._pad_id = rows, length, pad_id
        self._batch_size, self._seed, self._teacher = batch_size, seed, teacher
        self._static_shapes = static_shapes
        self._widths = np.array([length if static_shapes else width_for(tokens, length)
                                 for tokens in rows.ids.lengths], np.int32)
        self.steps_per_epoch = len(rows) // batch_size

    def dataset(self, first_step: int = 0, worker: int = 0, workers: int = 1) -> tf.data.Dataset:
        """Return endless batches from a step on; see `Batches`.

        Besides the encoder's inputs, a batch holds those of `TaskRows.labels`, and the teacher's
        outputs as `teacher/...`.
        """
        if workers < 1 or self._batch_size % workers:
            raise InputError(f"a batch of {self._batch_size} rows cannot be shared equally by "
                             f"{workers} workers")
        share = self._batch_size // workers
        part = slice(worker * share, (worker + 1) * share)
        dataset = generated.dataset(lambda: self._generate(first_step, part),
                                    self._signature(share))
        return untuned(dataset.prefetch(_AHEAD))

    def reading_errors(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()  # everything is in memory

    def _signature(self, share):
        """Return the specs of a batch: only the axes that differ with the width are not static."""
        widths = (self._length,) if self._static_shapes else (self._length, self._length + 1)
        made = [self._made(np.arange(1), width) for width in widths]
        return {name: tf.TensorSpec(
            (share, *(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(
                *(one[name].shape[1:] for one in made), strict=True))), values.dtype)
            for name, values in made[0].items()}

    def _generate(self, first_step, part):
        epoch, skipped = divmod(first_step, self.steps_per_epoch)
        while True:
            for rows in self._order(epoch)[skipped:]:
                yield self._batch(rows, part)
            epoch, skipped = epoch + 1, 0

    def _order(self, epoch):
        """Return the rows of an epoch's batches, int `(steps, batch_size)`."""
        random = np.random.default_rng([self._seed, epoch])
        order = random.permutation(len(self._rows))
        # Left out before sorting: after it, always the longest would be left out.
        order = order[: self.steps_per_epoch * self._batch_size]
        pool = _POOL_BATCHES * self._batch_size
        for start in range(0, len(order), pool):
            rows = order[start : start + pool]
            order[start : start + pool] = rows[np.argsort(self._widths[rows], kind="stable")]
        return random.permutation(order.reshape(-1, self._batch_size))

    def _batch(self, rows, part):
        """Return a part of a batch, as wide as the whole of it."""
        return self._made(rows[part], int(self._widths[rows].max()))

    def _made(self, rows, width):
        found = {**self._rows.inputs(rows, width, self._pad_id), **self._rows.labels(rows, width)}
        if self._teacher is not None:
            found.update(self._teacher.batch(rows, width))
        return found
