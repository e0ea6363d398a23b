"""Ragged: rows of different lengths in one array."""

import dataclasses
from collections.abc import Sequence

import numpy as np


@dataclasses.dataclass(frozen=True)
class Ragged:
    """Rows of different lengths, one after another.

    Args:
      values: all of them, `(sum of lengths, ...)`.
      lengths: of each row.
    """

    values: np.ndarray
    lengths: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[np.ndarray], dtype=None) -> "Ragged":
        values = np.concatenate(rows) if rows else np.zeros(0)
        return cls.cut(values.astype(dtype or values.dtype), [len(row) for row in rows])

    @classmethod
    def cut(cls, values: np.ndarray, lengths: Sequence[int]) -> "Ragged":
        """Return the rows of these lengths that an array holds."""
        lengths = np.asarray(lengths, np.int32)
        return cls(values, lengths, np.cumsum(lengths, dtype=np.int64) - lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, row: int) -> np.ndarray:
        start = self.starts[row]
        return self.values[start : start + self.lengths[row]]

    def taken(self, rows: Sequence[int]) -> "Ragged":
        """Return some rows, in this order."""
        return Ragged.of([self[row] for row in rows], self.values.dtype)

    def padded(self, rows: np.ndarray, width: int, padding) -> np.ndarray:
        """Return some rows, padded to a width: `(len(rows), width)`."""
        place = np.arange(width)
        is_real = place < self.lengths[rows, np.newaxis]
        at = np.where(is_real, self.starts[rows, np.newaxis] + place, 0)
        return np.where(is_real, self.values[at], padding).astype(self.values.dtype)
