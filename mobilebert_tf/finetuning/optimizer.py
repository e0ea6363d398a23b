"""The optimizer of fine-tuning: AdamW with decay groups, clipping and warm-up."""

import tf_keras as keras

from mobilebert_tf.finetuning.schedule import WarmupLinearDecay

# Biases and the parameters of norms are not decayed (google-research/bert optimization.py).
_NOT_DECAYED = ("bias", "gamma", "beta")


def adamw(model, learning_rate: float, steps: int, warmup_fraction: float = 0.1,
          weight_decay: float = 0.01) -> keras.optimizers.AdamW:
    """AdamW for `model`: linear warm-up and decay, decay groups, gradients clipped to norm 1.

    Warm-up and clipping matter more here than for BERT: the released MobileBERT weights give
    initial losses near 1e6.

    Args:
      model: a built model; every trainable variable falls into exactly one decay group.
      learning_rate: peak.
      steps: updates in all.
      warmup_fraction: part of the steps until the peak.
      weight_decay: decoupled, of kernels and tables only.
    """
    undecayed = [variable for variable in model.trainable_variables
                 if _last_name(variable) in _NOT_DECAYED or _last_name(variable).endswith("_bias")]
    optimizer = keras.optimizers.AdamW(
        WarmupLinearDecay(learning_rate, steps, int(steps * warmup_fraction)),
        weight_decay=weight_decay, beta_1=0.9, beta_2=0.999, epsilon=1e-6, global_clipnorm=1.0)
    optimizer.exclude_from_weight_decay(var_list=undecayed)
    return optimizer


def _last_name(variable):
    return variable.name.rpartition("/")[2].partition(":")[0]
