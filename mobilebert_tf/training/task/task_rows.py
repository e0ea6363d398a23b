"""TaskRows: the rows of a task that a run learns from, as arrays."""

import dataclasses
import hashlib

import numpy as np

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.training.batch_entries import TARGETS
from mobilebert_tf.training.task.ragged import Ragged


@dataclasses.dataclass(frozen=True)
class TaskRows:
    """Rows of a task: those with labels first, then those without.

    Args:
      ids: token ids with special tokens, int32.
      first_lengths: tokens of the first segment, int32 `(rows,)`.
      targets: by the name of the logits: int32 or float32 `(rows, ...)`; or `Ragged`, a class for
        each token.
      places: 1 for each token with an answer; None if a row has one answer. See `Kind.places`.
      labelled: how many rows have labels.
    """

    ids: Ragged
    first_lengths: np.ndarray
    targets: dict[str, np.ndarray | Ragged]
    places: Ragged | None
    labelled: int

    @classmethod
    def of(cls, kind: Kind, labelled: Features, unlabelled: Features | None = None) -> "TaskRows":
        """Return the rows of features of one kind."""
        both = [labelled] if unlabelled is None else [labelled, unlabelled]
        ids = [np.asarray(row, np.int32) for features in both for row in features.ids]
        places = [place for features in both for place in kind.places(features) or ()]
        targets = labelled.targets
        named = targets if isinstance(targets, dict) else {"logits": targets}
        return cls(
            Ragged.of(ids, np.int32),
            np.concatenate([np.asarray(one.first_lengths, np.int32) for one in both]),
            {name: _column(values, ids) for name, values in named.items()},
            Ragged.of(places, np.float32) if places else None, len(labelled.ids))

    def __len__(self) -> int:
        return len(self.ids)

    def fingerprint(self) -> str:
        """Return a hash of all that a model reads of the rows."""
        found = hashlib.sha256()
        for array in (self.ids.lengths, self.ids.values, self.first_lengths):
            found.update(np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    def inputs_of(self, rows: np.ndarray) -> "TaskRows":
        """Return what a model reads of some rows, in this order, without targets."""
        return TaskRows(self.ids.taken(rows), self.first_lengths[rows], {}, None, 0)

    def inputs(self, rows: np.ndarray, width: int, pad_id: int) -> dict[str, np.ndarray]:
        """Return the encoder's inputs of some rows, int32 `(len(rows), width)`."""
        place = np.arange(width)
        is_real = place < self.ids.lengths[rows, np.newaxis]
        is_second = is_real & (place >= self.first_lengths[rows, np.newaxis])
        return {"input_word_ids": self.ids.padded(rows, width, pad_id),
                "input_mask": is_real.astype(np.int32),
                "input_type_ids": is_second.astype(np.int32)}

    def labels(self, rows: np.ndarray, width: int) -> dict[str, np.ndarray]:
        """Return targets of some rows, and the weights of their places in the losses.

        A row without labels has targets too, of a weight of 0.
        """
        has_label = (rows < self.labelled).astype(np.float32)
        weights = (np.ones_like(has_label) if self.places is None
                   else self.places.padded(rows, width, 0.0))
        found = {f"{TARGETS}/{name}": values.padded(rows, width, -1) if isinstance(values, Ragged)
                 else self._targets(values, rows) for name, values in self.targets.items()}
        return {**found, "soft_label_weights": weights,
                "label_weights": weights * has_label.reshape(-1, *[1] * (weights.ndim - 1))}

    def _targets(self, values, rows):
        """Return targets of some rows; 0, which every loss takes, for those without labels.

        Another row's position of an answer may lie beyond the width of the batch.
        """
        is_unlabelled = rows >= self.labelled
        found = values[np.where(is_unlabelled, 0, rows)]
        found[is_unlabelled] = 0
        return found


def _column(values, ids):
    """Return the targets of labelled rows; of all rows if they are a class for each token."""
    first = np.asarray(values[0])
    if first.ndim and first.dtype.kind != "f":
        unknown = [np.full(len(row), -1, np.int32) for row in ids[len(values):]]
        return Ragged.of([*values, *unknown], np.int32)
    return np.asarray(values, np.float32 if first.dtype.kind == "f" else np.int32)
