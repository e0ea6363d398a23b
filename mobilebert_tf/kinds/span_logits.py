"""What is kept of a teacher's starts and ends: the likeliest places, and the rest as one number."""

from collections.abc import Mapping

import numpy as np

# How many places are kept.
KEPT = 16
# The logit of padding; in float32 its softmax is 0.
PADDING = -1e9
# The logarithm of a probability that is as good as 0. Half precision has no number far below.
_NONE = -1e4
_PLACES = "_places"


def kept(logits: Mapping[str, np.ndarray], lengths: np.ndarray) -> dict[str, list[np.ndarray]]:
    """Return the logarithms of the greatest probabilities of each row, and where they are.

    After them comes the logarithm of what each other token of the row has on average.

    Args:
      logits: by name, float32 `(rows, width)`.
      lengths: tokens of each row; padding is left out.
    """
    found = {}
    for name, values in logits.items():
        rows = [_log_softmax(row[:length]) for row, length in zip(values, lengths, strict=True)]
        orders = [np.argsort(-row, kind="stable") for row in rows]
        found[name] = [np.append(row[order[:KEPT]], _log_mean(row[order[KEPT:]]))
                       for row, order in zip(rows, orders, strict=True)]
        found[name + _PLACES] = [order[:KEPT].astype(np.int16) for order in orders]
    return found


def restored(kept: Mapping[str, list[np.ndarray]], lengths: np.ndarray,
             width: int) -> dict[str, np.ndarray]:
    """Return logits, float32 `(rows, width)` by name, with the probabilities of what was kept.

    The rest of the probability is spread evenly over the other tokens. If the kept places had all
    of it, the teacher would seem surer than it is, and no temperature could bring the others back.

    Args:
      kept: of the function `kept`, of any float type.
      lengths: tokens of each row; the logits of padding are -1e9.
    """
    found = {}
    for name in (name for name in kept if not name.endswith(_PLACES)):
        logits = np.full((len(lengths), width), PADDING, np.float32)
        for row, (values, places, length) in enumerate(zip(
                kept[name], kept[name + _PLACES], lengths, strict=True)):
            logits[row, :length] = values[-1]
            logits[row, places] = values[:-1]
        found[name] = logits
    return found


def _log_softmax(scores):
    shifted = scores.astype(np.float64) - scores.max()
    return np.maximum(shifted - np.log(np.exp(shifted).sum()), _NONE)


def _log_mean(logarithms):
    if not len(logarithms):
        return _NONE
    most = logarithms.max()  # without it, all powers may be 0
    return most + np.log(np.exp(logarithms - most).mean())
