"""StepScalars: what an optimizer computes once a step instead of once a variable."""

import functools

import tensorflow as tf
from tf_keras.src.mixed_precision.autocast_variable import AutoCastVariable


def once_a_shape(update):
    """Decorate the update of a variable, so that it is traced once for each shape of variables.

    The graph of a step then has one call for each variable instead of twenty nodes. The calls are
    not inlined, because TensorFlow would optimize all of the nodes again.

    Under a strategy the update is not traced separately: a moment has a copy on each device, and
    inside a function of its own it is not known which copy is meant.
    """
    traced = tf.function(
        update, autograph=False, experimental_attributes={"_noinline": True})

    @functools.wraps(update)
    def call(*args):
        if tf.distribute.has_strategy():
            return update(*args)
        return traced(*map(_stored, args))

    return call


def _stored(argument):
    """Return the variable inside one of mixed precision, and everything else as it is.

    `tf.function` traces anew for each `AutoCastVariable`, whatever its shape.
    """
    return argument._variable if isinstance(argument, AutoCastVariable) else argument


class StepScalars:
    """Mixin for a Keras optimizer that computes the scalars of a step once, not once a variable.

    Keras computes the learning rate and the bias corrections in each `update_step`. For the 1,119
    variables of MobileBERT these were half of the nodes of a training step's graph, and half of the
    time of its first step.

    A subclass defines `compute_scalars` and calls `step_scalars` in its `update_step`.
    """

    def apply_gradients(self, *args, **kwargs):
        # Cleared at the start, because the step has changed, and at the end, because the tensors
        # keep the graph alive. It is an object because Keras would save a dict in checkpoints.
        self._computed = _Computed()
        try:
            return super().apply_gradients(*args, **kwargs)
        finally:
            self._computed = _Computed()

    def compute_scalars(self, dtype: tf.DType) -> tuple[tf.Tensor, ...]:
        """Return the scalars of the current step, in the type of a variable."""
        raise NotImplementedError

    def step_scalars(self, dtype: tf.DType) -> tuple[tf.Tensor, ...]:
        """Return the result of `compute_scalars`, which is called once a step."""
        # Once for each graph: XLA compiles the update of each variable in its own graph.
        key = tf.compat.v1.get_default_graph(), dtype
        found = self._computed.scalars
        if key not in found:
            found[key] = self.compute_scalars(dtype)
        return found[key]


class _Computed:
    def __init__(self):
        self.scalars = {}
