"""Lamb: Adam with a separate rate for each variable, for very large batches."""

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.optimization.step_scalars import StepScalars, once_a_shape


@keras.utils.register_keras_serializable(package="mobilebert_tf")
class Lamb(StepScalars, keras.optimizers.Optimizer):
    """weights -= rate * |weights| / |update| * update, where update is Adam's plus the decay.

    Source: You et al. 2020 (arXiv:1904.00962), algorithm 2, with the identity for phi. The ratio
    of norms is 1 if either norm is 0. As in google-research's optimizers for BERT, it is also 1
    for variables that are excluded from decay (`exclude_from_weight_decay`).

    Args:
      learning_rate: number or schedule.
      weight_decay: decoupled, added to the update before its norm is taken.
      beta_1, beta_2: decay of the first and second moments.
      epsilon: added to the root of the second moment.
      bias_correction: correct the moments of the first steps. google-research trained MobileBERT
        without it, which makes the first updates up to 3.2 times larger.
      global_clipnorm, **kwargs: as for every Keras optimizer.
    """

    def __init__(self, learning_rate=1e-3, weight_decay=0.01, beta_1=0.9, beta_2=0.999,
                 epsilon=1e-6, bias_correction=True, global_clipnorm=None, name="Lamb", **kwargs):
        super().__init__(name=name, weight_decay=weight_decay, global_clipnorm=global_clipnorm,
                         **kwargs)
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.bias_correction = bias_correction

    def build(self, var_list):
        super().build(var_list)
        if getattr(self, "_built", False):
            return
        self._built = True
        self._momentums = [self.add_variable_from_reference(v, "m") for v in var_list]
        self._velocities = [self.add_variable_from_reference(v, "v") for v in var_list]

    def compute_scalars(self, dtype):
        first_scale, second_scale = self._bias_corrections(dtype)
        constants = (tf.constant(value, dtype) for value in (
            1 - self.beta_1, 1 - self.beta_2, self.weight_decay))
        rate = tf.cast(tf.convert_to_tensor(self.learning_rate), dtype)
        return rate, second_scale / first_scale, self.epsilon * second_scale, *constants

    def update_step(self, gradient, variable):
        index = self._index_dict[self._var_key(variable)]
        # Rows without a gradient also move, by their moments; so a sparse update saves nothing.
        _update(tf.convert_to_tensor(gradient), variable, self._momentums[index],
                self._velocities[index], self.step_scalars(variable.dtype),
                self._use_weight_decay(variable))

    def _bias_corrections(self, dtype):
        """Return the divisors of the first moment and of the root of the second."""
        if not self.bias_correction:
            return tf.ones((), dtype), tf.ones((), dtype)
        # In float32, 1 - 0.999 is wrong in the fifth digit.
        step = tf.cast(self.iterations + 1, tf.float64)
        first, second = (1 - tf.pow(tf.constant(beta, tf.float64), step)
                         for beta in (self.beta_1, self.beta_2))
        return tf.cast(first, dtype), tf.cast(tf.sqrt(second), dtype)

    def _apply_weight_decay(self, variables):
        """Do nothing: the base class decays before the update, Lamb within it."""

    def get_config(self):
        return {**super().get_config(),
                "learning_rate": self._serialize_hyperparameter(self._learning_rate),
                "beta_1": self.beta_1, "beta_2": self.beta_2, "epsilon": self.epsilon,
                "bias_correction": self.bias_correction}


@once_a_shape
def _update(gradient, variable, first, second, scalars, is_decayed):
    rate, scale, epsilon, first_part, second_part, decay = scalars
    first.assign_add((gradient - first) * first_part)
    second.assign_add((tf.square(gradient) - second) * second_part)
    # The scales are outside the fraction, which saves a pass over memory.
    update = first / (tf.sqrt(second) + epsilon)
    if is_decayed:
        weights = tf.convert_to_tensor(variable)
        update = update * scale + decay * weights
        variable.assign_sub(rate * _trust_ratio(weights, update) * update)
    else:
        variable.assign_sub(rate * scale * update)


def _trust_ratio(weights, update):
    """Return |weights| / |update|, or 1 if either is 0."""
    # l2_loss is half the squared norm, in one pass.
    weights, update = tf.nn.l2_loss(weights), tf.nn.l2_loss(update)
    return tf.where((weights > 0) & (update > 0), tf.sqrt(weights / update),
                    tf.ones_like(update))
