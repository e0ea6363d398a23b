"""A picture of a confusion matrix."""

import io
import os

import numpy as np

from mobilebert_tf.evaluation.confusion import Confusion
from mobilebert_tf.files import write_atomically

# More classes than this have no room for a count in every cell.
_COUNTED = 20
# Names are cut to so many characters.
_LONGEST_NAME = 48


def draw(confusion: Confusion, path: str | os.PathLike) -> None:
    """Writes a PNG: a row for each label, a column for each prediction, shades by part of the row.

    Counts stand in the cells where there is room. A shade is the square root of the part, so that
    rare confusions can be seen.

    Args:
      confusion: of `confusion.of`.
      path: of the picture.
    Raises:
      InputError: when the path cannot be written.
    """
    # Only who draws waits for it.
    from matplotlib.colors import PowerNorm
    from matplotlib.figure import Figure

    classes, parts = len(confusion.labels), confusion.parts
    size = 3.5 + (0.45 if classes <= _COUNTED else 0.13) * classes
    font = 8 if classes <= _COUNTED else 6.5
    figure = Figure(figsize=(size + 1, size), dpi=120, layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(parts, cmap="Blues", norm=PowerNorm(0.5, 0, 1), interpolation="nearest")
    # "$" in a name is no formula.
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


def _shown(name):
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME - 1]}…"
