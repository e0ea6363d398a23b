"""AdamW: Keras's, with a smaller graph."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.optimization.step_scalars import StepScalars, once_a_shape


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class AdamW(StepScalars, keras.optimizers.AdamW):
    """`keras.optimizers.AdamW` with the same numbers and a smaller graph; see `StepScalars`.

    Source: Loshchilov and Hutter 2019 (arXiv:1711.05101).

    Args: those of `keras.optimizers.AdamW`, without `amsgrad`.
    Raises:
      ValueError: for `amsgrad`.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.amsgrad:
            raise ValueError("`amsgrad` is not supported; `keras.optimizers.AdamW` has it")

    def compute_scalars(self, dtype):
        rate = tf.cast(tf.convert_to_tensor(self.learning_rate), dtype)
        step = tf.cast(self.iterations + 1, dtype)
        first, second = (tf.pow(tf.cast(beta, dtype), step) for beta in (self.beta_1, self.beta_2))
        constants = (tf.constant(value, dtype) for value in (
            1 - self.beta_1, 1 - self.beta_2, self.epsilon, self.weight_decay))
        return rate, rate * tf.sqrt(1 - second) / (1 - first), *constants

    def update_step(self, gradient, variable):
        if isinstance(gradient, tf.IndexedSlices):
            # One or two tables have these; Keras rounds them differently from dense gradients.
            rate, *_, decay = self.step_scalars(variable.dtype)
            if self._use_weight_decay(variable):
                variable.assign_sub(variable * (decay * rate))
            super().update_step(gradient, variable)
            return
        index = self._index_dict[self._var_key(variable)]
        _update(gradient, variable, self._momentums[index], self._velocities[index],
                self.step_scalars(variable.dtype), self._use_weight_decay(variable))

    def _apply_weight_decay(self, variables):
        """Do nothing: `update_step` applies the decay, as it knows the learning rate."""

    def get_config(self):
        return {name: value for name, value in super().get_config().items() if name != "amsgrad"}


@once_a_shape
def _update(gradient, variable, first, second, scalars, is_decayed):
    rate, corrected_rate, first_part, second_part, epsilon, decay = scalars
    if is_decayed:
        variable.assign_sub(variable * (decay * rate))
    first.assign_add((gradient - first) * first_part)
    second.assign_add((tf.square(gradient) - second) * second_part)
    variable.assign_sub(first * corrected_rate / (tf.sqrt(second) + epsilon))
