"""Source: where the batches of a run come from, as far as the training loop knows."""

from typing import Protocol

from mobilebert_tf.training.batches import Batches
from mobilebert_tf.training.stage import Stage


class Source(Protocol):
    """Examples in the splits `train` and `validation`.

    Attributes:
      name: what messages call the source.
      description: JSON values that identify its batches. A run only continues with the same.
    """

    name: str
    description: dict

    def count(self, split: str) -> int:
        """Return how many examples a split has."""

    def teacher_output_names(self, stage: Stage) -> tuple[str, ...]:
        """Return the names of the teacher's outputs that the batches of a stage hold."""

    def batches(self, split: str, stage: Stage, batch_size: int, seed: int) -> Batches:
        """Return the batches of a split for a stage.

        Args:
          seed: for the order of the examples and all that is drawn.
        """
