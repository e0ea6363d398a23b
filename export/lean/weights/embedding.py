"""Embedding: the weights of the embedding."""

import dataclasses

import numpy as np

from mobilebert_tf.export.lean.weights.dense import LeanDense
from mobilebert_tf.export.lean.weights.norm import Norm


@dataclasses.dataclass(frozen=True)
class LeanEmbedding:
    """Norm(Dense(word row, or three with trigram input) + type row + position row)."""

    word_table: np.ndarray
    position_table: np.ndarray
    type_table: np.ndarray | None
    projection: LeanDense | None
    norm: Norm
