"""StoredTensor: a tensor in a checkpoint, not yet read."""

import dataclasses
from collections.abc import Callable

import numpy as np


@dataclasses.dataclass(frozen=True)
class StoredTensor:
    """A tensor in a checkpoint.

    Args:
      shape: of the array.
      dtype: the name of its type, NumPy's where NumPy knows it.
      read: gives the array.
    """

    shape: tuple[int, ...]
    dtype: str
    read: Callable[[], np.ndarray]
