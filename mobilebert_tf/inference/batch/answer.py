"""Answer: what a model says about a row."""

import dataclasses

import numpy as np

from mobilebert_tf.inference.batch.row import Row


@dataclasses.dataclass(frozen=True)
class RowAnswer:
    """What a model says about a row.

    Args:
      row: the row.
      values: JSON values by name; `truncated` among them.
      vector: its embedding, float32 `(features,)`; None if none was asked for.
    """

    row: Row
    values: dict
    vector: np.ndarray | None = None

    @property
    def record(self) -> dict:
        """The row and the values, as JSON values."""
        texts = {"id": self.row.id, "text": self.row.text}
        if self.row.second_text is not None:
            texts["second_text"] = self.row.second_text
        return {**texts, **self.values}
