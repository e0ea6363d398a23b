"""Augmented: what `augment` made."""

import dataclasses
from pathlib import Path

from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.data.datasets.rows import LeftOut


@dataclasses.dataclass(frozen=True)
class Augmented:
    """What `augment` made.

    Args:
      output: the file.
      rows: rows of the table, or of the shard, that were augmented.
      written: rows in the file, the original ones included.
      settings: with the number of draws that was used.
      left_out: rows of the table that are no examples.
    """

    output: Path
    rows: int
    written: int
    settings: AugmentationSettings
    left_out: tuple[LeftOut, ...] = ()

    def to_json(self) -> dict:
        """Return all but `left_out` as JSON values."""
        return {"output": str(self.output), "rows": self.rows, "written": self.written,
                "settings": dataclasses.asdict(self.settings)}
