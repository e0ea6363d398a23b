"""TrainingSetup: what is fitted, and on what."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class TrainingSetup:
    """What `Fitting` trains so that a model learns its task.

    Args:
      model: the Keras model that is fitted; it shares its weights with the task's model.
      losses: `loss` and `loss_weights`, as `compile` takes them.
      batches: of `model`: steps of an epoch, and `dataset(seed, epoch)`.
      remark: printed after the number of steps.
      prepare: called before the task's model is scored or saved.
      class_weight: as `fit` takes it.
    """

    model: object
    losses: dict
    batches: object
    remark: str = ""
    prepare: Callable[[], None] = lambda: None
    class_weight: dict[int, float] | None = None
