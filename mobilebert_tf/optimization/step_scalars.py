"""What all variables share in a step of an optimizer: its scalars, and the graph of an update."""

import functools

import tensorflow as tf


def once_a_shape(update):
    """Decorates the update of a variable: it is traced once for each shape of variables.

    A step's graph then holds a call for each variable instead of its twenty nodes. The calls are
    not inlined, for TensorFlow would optimize all of these nodes again.

    Under a strategy the update stays as it is: a moment has a copy on each device, and only outside
    of a function of its own is it known which one is meant.
    """
    traced = tf.function(
        update, autograph=False, experimental_attributes={"_noinline": True})

    @functools.wraps(update)
    def call(*args):
        return (update if tf.distribute.has_strategy() else traced)(*args)

    return call


class StepScalars:
    """Mixin of a Keras optimizer: computes the scalars of a step once, not once a variable.

    Keras computes the rate and the bias corrections in each `update_step`. For the 1,119 variables
    of MobileBERT these were half the nodes of a training step's graph, and half the time that its
    first step takes.

    A subclass defines `compute_scalars` and calls `step_scalars` in its `update_step`.
    """

    def apply_gradients(self, *args, **kwargs):
        # Cleared at the start, for the step's number has changed since; and at the end, for the
        # tensors hold the graph. An object of our own: Keras would save a dict in checkpoints.
        self._computed = _Computed()
        try:
            return super().apply_gradients(*args, **kwargs)
        finally:
            self._computed = _Computed()

    def compute_scalars(self, dtype: tf.DType) -> tuple[tf.Tensor, ...]:
        """The scalars of the current step, in the type of a variable."""
        raise NotImplementedError

    def step_scalars(self, dtype: tf.DType) -> tuple[tf.Tensor, ...]:
        """What `compute_scalars` gives; computed once a step."""
        # By graph too: XLA compiles the update of each variable in a graph of its own.
        key = tf.compat.v1.get_default_graph(), dtype
        found = self._computed.scalars
        if key not in found:
            found[key] = self.compute_scalars(dtype)
        return found[key]


class _Computed:
    def __init__(self):
        self.scalars = {}
