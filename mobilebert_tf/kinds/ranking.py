"""Ranking: the likeliest of several things, named."""

from collections.abc import Sequence

import numpy as np


def class_names(labels: tuple[str, ...] | None, count: int) -> tuple[str, ...]:
    """Return the labels; without any, the numbers of the classes as text."""
    return labels or tuple(str(number) for number in range(count))


def ranked(probabilities: np.ndarray, names: Sequence[str], count: int, key: str) -> list[dict]:
    """Return the `count` likeliest as `{key: name, "probability": ...}`, best first."""
    best = np.argsort(-probabilities, kind="stable")[:count]
    return [{key: names[i], "probability": float(probabilities[i])} for i in best]


def softmax(logits: np.ndarray) -> np.ndarray:
    """Compute the softmax over the last axis."""
    exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponents / exponents.sum(axis=-1, keepdims=True)
