"""Picture: a published score of each system over the latency of our file."""

import dataclasses
import io
from collections.abc import Mapping, Sequence

# Labels stand to the right of their mark and above, unless another mark is near: in height, and
# so many times as far to the right.
_NEAR, _NEAR_RIGHT = 0.7, 3.0


@dataclasses.dataclass(frozen=True)
class Point:
    """One system in a panel; an open one is task-specific."""

    label: str
    x: float
    y: float
    is_open: bool


def png(panels: Mapping[str, Sequence[Point]], y_axis: str) -> bytes:
    """Draw panels side by side with a logarithmic x; return a PNG picture.

    Args:
      panels: the label of a panel's x axis -> its points.
      y_axis: the label of the y axis.
    """
    # The import takes a second.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8 * len(panels), 6.5), dpi=120, layout="constrained")
    for axes, (x_axis, points) in zip(
            figure.subplots(1, len(panels), squeeze=False, sharey=True)[0], panels.items(),
            strict=True):
        _draw(axes, x_axis, points)
        axes.set_ylabel(y_axis)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _draw(axes, x_axis, points):
    from matplotlib.ticker import LogLocator, ScalarFormatter

    for point in points:
        near = [other for other in points if abs(other.y - point.y) < _NEAR]
        is_left = any(point.x < other.x < _NEAR_RIGHT * point.x for other in near)
        is_below = any(other.y > point.y for other in near)
        axes.plot(point.x, point.y, "o", color="C0", markersize=7,
                  markerfacecolor="white" if point.is_open else "C0")
        axes.annotate(point.label, (point.x, point.y), fontsize=8, textcoords="offset points",
                      xytext=(-7 if is_left else 7, -10 if is_below else 3),
                      horizontalalignment="right" if is_left else "left")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_locator(LogLocator(subs=()))
    axes.margins(0.12, 0.06)
    axes.grid(alpha=0.3)
    axes.set_xlabel(x_axis)
    axes.spines[["top", "right"]].set_visible(False)
