"""Picture: a published score of each system over the latency of our file."""

import dataclasses
import io
import itertools
from collections.abc import Sequence

# Where labels stand, in points from their mark: neighbours in height take turns.
_PLACES = (((-7, 3), "right"), ((7, 3), "left"), ((7, -10), "left"))


@dataclasses.dataclass(frozen=True)
class Point:
    """One system in a panel; an open one is task-specific."""

    label: str
    x: float
    y: float
    is_open: bool


@dataclasses.dataclass(frozen=True)
class Panel:
    """Points beside each other; `axis` labels their x."""

    axis: str
    points: Sequence[Point]


def png(panels: Sequence[Panel], y_axis: str) -> bytes:
    """Draw the panels side by side with a logarithmic x; return a PNG picture."""
    # The import takes a second.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8 * len(panels), 6.5), dpi=120, layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False, sharey=True)[0], panels,
                           strict=True):
        _draw(axes, panel)
        axes.set_ylabel(y_axis)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _draw(axes, panel):
    from matplotlib.ticker import LogLocator, ScalarFormatter

    by_height = sorted(panel.points, key=lambda point: -point.y)
    for point, (offset, side) in zip(by_height, itertools.cycle(_PLACES), strict=False):
        axes.plot(point.x, point.y, "o", color="C0", markersize=7,
                  markerfacecolor="white" if point.is_open else "C0")
        axes.annotate(point.label, (point.x, point.y), xytext=offset, textcoords="offset points",
                      horizontalalignment=side, fontsize=8)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_locator(LogLocator(subs=()))
    axes.margins(0.12, 0.06)
    axes.grid(alpha=0.3)
    axes.set_xlabel(panel.axis)
    axes.spines[["top", "right"]].set_visible(False)
