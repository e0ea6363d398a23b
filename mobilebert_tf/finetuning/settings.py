"""Settings: how to fine-tune."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to fine-tune.

    The defaults suit a pre-trained BERT on two cores. MobileBERT wants larger learning rates and
    more epochs than BERT (Sun et al. 2020).

    Args:
      learning_rate: at the peak, after warm-up and before the fall to 0; both linear.
      batch_size: rows a batch.
      epochs: passes over the training data.
      length: the most tokens of a row; None for the task's own.
      warmup_fraction: part of all steps.
      weight_decay: of kernels and tables; AdamW's.
      patience: epochs without a better dev score after which training ends; None for never.
      seed: of weights, dropout and order.
    """

    learning_rate: float = 5e-5
    batch_size: int = 32
    epochs: int = 3
    length: int | None = None
    warmup_fraction: float = 0.1
    weight_decay: float = 0.01
    patience: int | None = None
    seed: int = 1
