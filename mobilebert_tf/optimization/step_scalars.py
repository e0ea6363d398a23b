"""What all variables share in a step of an optimizer: its scalars, and the graph of an update."""

import tensorflow as tf

# Of an update: TensorFlow traces it once for each shape of variables, and a step's graph holds a
# call for each variable instead of its twenty nodes. Inlined, these would all be optimized again.
once_a_shape = tf.function(autograph=False, experimental_attributes={"_noinline": True})


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
