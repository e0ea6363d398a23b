"""KindLosses: how the models of a kind learn from labels and from a teacher's answers."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.errors import InputError


class KindLosses:
    """The losses of a kind, and what is kept of a teacher's logits. `Kind` inherits it.

    Logits have the names of `EncoderModel.head_outputs`. A place is what has one answer: a row, or
    a token of it.

    Attributes:
      kept_type: the type in which a `TeacherCache` keeps a teacher's logits.
    """

    kept_type: ClassVar[type[np.floating]] = np.float16

    def label_losses(self, logits, targets, mask):
        """Compute the loss of each place of a batch against its label.

        Args:
          logits: the student's, by name, float32 `(batch, ...)`.
          targets: those of `rows`, by the name of the logits.
          mask: int32 `(batch, width)`, 1 for each token that is not padding.
        Returns:
          float32 `(batch,)`, or `(batch, width)` if each token is a place; see `places`.
        """
        raise InputError(f"a model for {self.name} learns from no labels here")

    def soft_label_losses(self, logits, teacher_logits, mask, temperature: float):
        """Compute the loss of each place of a batch against what the teacher says.

        Args:
          logits, teacher_logits: by name, float32 `(batch, ...)`.
          mask: as for `label_losses`.
          temperature: divides logits that become probabilities; above 0.
        Returns:
          as `label_losses`; 0 for equal logits.
        """
        raise InputError(f"a model for {self.name} learns from no soft labels")

    def summed_classes(self, logits) -> int:
        """Return how many classes the soft-label loss of a place is a sum over; 1 for a mean.

        Args:
          logits: as for `soft_label_losses`.
        """
        return 1

    def places(self, features: Features) -> list[np.ndarray] | None:
        """Return for each row which of its tokens have an answer, as 1 and 0; None if rows do."""
        return None

    def kept(self, logits: Mapping[str, np.ndarray],
             lengths: np.ndarray) -> dict[str, list[np.ndarray]]:
        """Return what is kept of a teacher's logits, an array for each row, by name.

        Args:
          logits: by name, float32 `(rows, ...)`.
          lengths: tokens of each row.
        """
        return {name: list(values) for name, values in logits.items()}

    def restored(self, kept: Mapping[str, list[np.ndarray]], lengths: np.ndarray,
                 width: int) -> dict[str, np.ndarray]:
        """Return logits of rows that are padded to a width, from what `kept` returned."""
        return {name: np.stack(rows) for name, rows in kept.items()}
