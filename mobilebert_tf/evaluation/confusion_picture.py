"""A picture of a confusion matrix."""

import io
import os
from collections.abc import Sequence

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.confusion import MOST_CLASSES, Confusion
from mobilebert_tf.files import write_atomically

# With more classes than this, a cell has no room for its count.
_COUNTED = 20
# Longer names are cut to this many characters.
_LONGEST_NAME = 48


def draw(confusion: Confusion, path: str | os.PathLike) -> None:
    """Write a PNG with a row for each label and a column for each prediction.

    A cell's shade grows with the square root of its fraction of the row, so that rare confusions
    are visible. Cells show their counts if there is room.

    Args:
      confusion: from `confusion.of`.
      path: the picture.
    Raises:
      InputError: for more than 500 classes, and if the path cannot be written.
    """
    check(confusion.labels)
    from matplotlib.colors import PowerNorm
    from matplotlib.figure import Figure

    classes, parts = len(confusion.labels), confusion.parts
    size = 3.5 + (0.45 if classes <= _COUNTED else 0.13) * classes
    font = 8 if classes <= _COUNTED else 6.5
    figure = Figure(figsize=(size + 1, size), dpi=120, layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(parts, cmap="Blues", norm=PowerNorm(0.5, 0, 1), interpolation="nearest")
    # Without parse_math=False, "$" in a name would begin a formula.
    ticks = {"ticks": range(classes), "labels": list(map(_shown, confusion.labels)),
             "fontsize": font, "parse_math": False}
    axes.set_xticks(**ticks, rotation=90)
    axes.set_yticks(**ticks)
    axes.set_xticks(np.arange(-0.5, classes), minor=True)
    axes.set_yticks(np.arange(-0.5, classes), minor=True)
    axes.grid(which="minor", color="0.85", linewidth=0.4)
    axes.tick_params(which="minor", length=0)
    axes.set_xlabel("predicted")
    axes.set_ylabel("label")
    if classes <= _COUNTED:
        for (row, column), count in np.ndenumerate(confusion.counts):
            axes.text(column, row, f"{count:,}", ha="center", va="center", fontsize=font,
                      color="white" if parts[row, column] > 0.4 else "0.2")
    missing = int(confusion.missing.sum())
    if missing:
        axes.set_title(f"{missing:,} examples have no answer", fontsize=font)
    figure.colorbar(image, ax=axes, shrink=0.6, aspect=30, label="part of the label's examples")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    write_atomically(path, buffer.getvalue())


def check(labels: Sequence[str]) -> None:
    """Raise InputError for more classes than a picture can show."""
    if len(labels) > MOST_CLASSES:
        raise InputError(f"a picture of {len(labels):,} classes could not be read; it shows at "
                         f"most {MOST_CLASSES}")


def _shown(name):
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME - 1]}…"
