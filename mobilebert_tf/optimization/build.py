"""Optimizers for given variables: decay groups and clipping set, moments made."""

from collections.abc import Iterable

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.optimization.adamw import AdamW
from mobilebert_tf.optimization.decay_groups import decay_groups
from mobilebert_tf.optimization.lamb import Lamb

LearningRate = float | keras.optimizers.schedules.LearningRateSchedule


def adamw(variables: Iterable[tf.Variable], learning_rate: LearningRate,
          weight_decay: float = 0.01, clip_norm: float | None = 1.0) -> AdamW:
    """AdamW for `variables`, with BERT's constants, built: a checkpoint can be restored into it.

    Warm-up and clipping matter more here than for BERT: the released MobileBERT weights give
    initial losses near 1e6.

    Args:
      variables: all that it will ever update; every one falls into exactly one decay group.
      learning_rate: number or schedule.
      weight_decay: decoupled, of kernels and tables only.
      clip_norm: what the gradients' global norm is clipped to; None leaves them as they are.
    """
    return _built(AdamW(
        learning_rate, weight_decay=weight_decay, beta_1=0.9, beta_2=0.999, epsilon=1e-6,
        global_clipnorm=clip_norm), variables)


def lamb(variables: Iterable[tf.Variable], learning_rate: LearningRate,
         weight_decay: float = 0.01, clip_norm: float | None = 1.0,
         bias_correction: bool = True) -> Lamb:
    """Lamb for `variables`, built; arguments as for `adamw`, and `Lamb`'s `bias_correction`.

    What is not decayed moves by Adam's update itself, without the ratio of norms.
    """
    return _built(Lamb(
        learning_rate, weight_decay=weight_decay, beta_1=0.9, beta_2=0.999, epsilon=1e-6,
        bias_correction=bias_correction, global_clipnorm=clip_norm), variables)


def _built(optimizer, variables):
    variables = list(variables)
    _, undecayed = decay_groups(variables)
    optimizer.exclude_from_weight_decay(var_list=undecayed)
    optimizer.build(variables)
    return optimizer
