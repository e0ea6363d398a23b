"""Optimizers for given variables, with decay groups, clipping and moments."""

from collections.abc import Iterable

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.optimization.adamw import AdamW
from mobilebert_tf.optimization.decay_groups import decay_groups
from mobilebert_tf.optimization.lamb import Lamb

LearningRate = float | keras.optimizers.schedules.LearningRateSchedule


def adamw(variables: Iterable[tf.Variable], learning_rate: LearningRate,
          weight_decay: float = 0.01, clip_norm: float | None = 1.0) -> AdamW:
    """Return AdamW with BERT's constants for `variables`.

    It is built, so that a checkpoint can be restored into it. Warm-up and clipping matter more
    here than for BERT: the released MobileBERT weights give initial losses near 1e6.

    Args:
      variables: all that it will ever update.
      learning_rate: number or schedule.
      weight_decay: decoupled; for kernels and tables only, see `decay_groups`.
      clip_norm: the gradients are clipped to this global norm; None to not clip them. As in
        google-research/bert, a row of a table that a batch reads twice counts twice in the norm of
        a sparse gradient, not once with its sum.
    """
    return _built(AdamW(
        learning_rate, weight_decay=weight_decay, beta_1=0.9, beta_2=0.999, epsilon=1e-6,
        global_clipnorm=clip_norm), variables)


def lamb(variables: Iterable[tf.Variable], learning_rate: LearningRate,
         weight_decay: float = 0.01, clip_norm: float | None = 1.0,
         bias_correction: bool = True) -> Lamb:
    """Return Lamb for `variables`, built; arguments as for `adamw`, and `Lamb`'s `bias_correction`.

    Variables without decay get Adam's update, without the ratio of norms.
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
