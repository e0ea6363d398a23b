"""Averages: exponential moving averages of variables."""

import contextlib
from collections.abc import Iterable, Iterator

import tensorflow as tf


class Averages:
    """Exponential moving averages of variables, which can replace their values for a while.

    Update n, counted from 0, sets average <- m average + (1 - m) variable with
    m = min(momentum, (1 + n) / (10 + n)), so that a short training forgets its start too.

    Source: Polyak and Juditsky 1992; the momentum as in tf.train.ExponentialMovingAverage with
    `num_updates`.

    Args:
      variables: any number of variables, or none.
      momentum: in [0, 1). About the last 1 / (1 - momentum) updates count, or the last (10 + n) / 9
        if these are fewer.
    """

    def __init__(self, variables: Iterable[tf.Variable], momentum: float):
        self._variables = list(variables)
        self._momentum = momentum
        self._averages = [tf.Variable(variable, trainable=False) for variable in self._variables]
        self._updates = tf.Variable(0, dtype=tf.int64, trainable=False)

    @property
    def state(self) -> list[tf.Variable]:
        """The variables that a checkpoint should hold."""
        return [self._updates, *self._averages]

    @tf.function(autograph=False)
    def update(self) -> None:
        """Add the current values to the averages; call it after each step."""
        updates = tf.cast(self._updates, tf.float32)
        momentum = tf.minimum(self._momentum, (1 + updates) / (10 + updates))
        for average, variable in zip(self._averages, self._variables, strict=True):
            average.assign_sub(tf.cast(1 - momentum, average.dtype) * (average - variable))
        self._updates.assign_add(1)

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Give the variables their averages within the context, and their own values after it."""
        self._exchange()
        try:
            yield
        finally:
            self._exchange()

    def replace(self) -> None:
        """Give the variables their averages for good."""
        for average, variable in zip(self._averages, self._variables, strict=True):
            variable.assign(average)

    def _exchange(self):
        for average, variable in zip(self._averages, self._variables, strict=True):
            value = variable.numpy()
            variable.assign(average)
            average.assign(value)
