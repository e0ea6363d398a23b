"""Table: how a kind reads the user's own tables."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.evaluation.metrics import Metrics


@dataclasses.dataclass(frozen=True, kw_only=True)
class TableFormat:
    """How a kind reads a TSV, CSV or JSON Lines file, and how it is scored on one.

    Args:
      read: (path, columns, labels) -> the rows; labels are None if the kind has none.
      label_of: labels -> a function from the text of a label cell to a label as `read` has it. It
        raises ValueError for any other text, with a message that ends a sentence which begins with
        the text, such as "is not a number".
      metrics: the scores.
      find_labels: (paths, columns) -> the labels in training files; None if the kind has none.
      has_label_sets: whether a label cell may hold several labels.
    """

    read: Callable[[Path, Columns, tuple[str, ...] | None], LabelledTexts]
    label_of: Callable[[tuple[str, ...] | None], Callable[[str], object]]
    metrics: Metrics
    find_labels: Callable[[Sequence[Path], Columns], tuple[str, ...]] | None = None
    has_label_sets: bool = False
