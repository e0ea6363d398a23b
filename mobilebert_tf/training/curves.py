"""Curves: a picture of a run's losses, from metrics.jsonl."""

import io
import os
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.training import metrics_line

# Fields of a line that are not drawn.
_NOT_LOSSES = {*metrics_line.POSITION, "tokens", "tokens_per_second", "gradient_norm",
               metrics_line.SECONDS}


def read(path: str | os.PathLike) -> list[dict]:
    """Return the lines of a metrics.jsonl; see `metrics_line.parse`.

    Raises:
      InputError: when the file is missing, damaged or empty.
    """
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as metrics: {error}") from error
    lines = [metrics_line.parse(line, f"{path}, line {number}")
             for number, line in enumerate(text.splitlines(), 1)]
    if not lines:
        raise InputError(f"{path} has no metrics yet")
    return lines


def draw(lines: list[dict], path: str | os.PathLike) -> None:
    """Write a PNG with a panel for each loss, over the tokens seen; stages are shaded.

    Args:
      lines: those of `read`.
      path: of the picture.
    """
    # Slow to import.
    from matplotlib.figure import Figure

    seen, stages = 0.0, {}
    training, validation, dev = {}, {}, {}
    for line in lines:
        if line["split"] == "train":
            start = seen
            seen += line["tokens"] / 1e6
            stages[line["stage"]] = (stages.get(line["stage"], (start,))[0], seen)
        curves = {"train": training, "validation": validation, "dev": dev}[line["split"]]
        for name, value in line.items():
            if name not in _NOT_LOSSES:
                curves.setdefault(name, []).append((seen, value, line["stage"]))
    names = sorted(training, key=lambda name: (name != "loss", name))
    figure = Figure(figsize=(9, 1.9 * (len(names) + len(dev)) + 0.6), dpi=120,
                    layout="constrained")
    panels = figure.subplots(len(names) + len(dev), squeeze=False, sharex=True)[:, 0]
    for (name, points), axes in zip(dev.items(), panels[len(names):], strict=True):
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], "o-", color="C2",
                  markersize=4, linewidth=1.2)
        axes.set_ylabel(f"dev {name.replace('_', ' ')}")
    for name, axes in zip(names, panels, strict=False):
        for stage in stages:
            points = [(x, y) for x, y, of in training[name] if of == stage]
            axes.plot(*zip(*points, strict=True) if points else ((), ()), color="C0",
                      linewidth=1.2)
        axes.plot([x for x, _, _ in validation.get(name, ())],
                  [y for _, y, _ in validation.get(name, ())], "o", color="C3", markersize=4,
                  label="validation")
        axes.set_ylabel(name.replace("_", " "))
        axes.set_yscale("log")
        for index, (start, end) in enumerate(stages.values()):
            axes.axvspan(start, end, color="0.5", alpha=0.12 * (index % 2), linewidth=0)
    for stage, (start, end) in stages.items():
        panels[0].annotate(stage, ((start + end) / 2, 1.02), xycoords=("data", "axes fraction"),
                           ha="center", fontsize=7)
    panels[-1].set_xlabel("tokens, millions")
    if validation:
        panels[0].legend(frameon=False, fontsize=8)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    write_atomically(path, buffer.getvalue())
