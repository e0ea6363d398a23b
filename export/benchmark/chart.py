"""Chart: times as bars, one group for each model, one colour for each recipe."""

import dataclasses
import io
import textwrap

from mobilebert_tf.export.benchmark.bar import Bar
from mobilebert_tf.terminal.console import harmless

_LABEL_WIDTH = 26  # characters; files may have long names


@dataclasses.dataclass(frozen=True)
class Panel:
    """Bars under a title; `axis` labels their lengths."""

    title: str
    axis: str
    bars: list[Bar]


def plain(text: str) -> str:
    """Return a text for matplotlib: a dollar sign begins no formula, any character can be drawn."""
    return harmless(text).replace("$", r"\$")


def png(panels) -> bytes:
    """Draw the panels below each other; return a PNG picture."""
    # The import takes a second.
    from matplotlib.figure import Figure

    series = list(dict.fromkeys(bar.series for panel in panels for bar in panel.bars))
    colors = {name: f"C{index}" for index, name in enumerate(series)}
    rows = [len(panel.bars) + _gaps(panel) for panel in panels]
    figure = Figure(figsize=(9, sum(0.3 * count + 0.9 for count in rows) + 0.4), dpi=150,
                    layout="constrained")
    all_axes = figure.subplots(len(panels), squeeze=False, sharex=True,
                               gridspec_kw={"height_ratios": rows})[:, 0]
    longest = max(max(bar.high, bar.value) for panel in panels for bar in panel.bars)
    all_axes[-1].set_xlim(0, 1.1 * longest)
    all_axes[-1].set_xlabel(panels[-1].axis)
    for panel, axes in zip(panels, all_axes, strict=True):
        _draw(panel, axes, colors, 0.01 * longest)
    if len(series) > 1:
        from matplotlib.patches import Patch

        figure.legend(handles=[Patch(color=color, label=plain(name))
                               for name, color in colors.items()],
                      loc="outside lower center", ncols=min(len(series), 5), frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _gaps(panel):
    return 0.6 * (len({bar.group for bar in panel.bars}) - 1)


def _draw(panel, axes, colors, gap):
    groups = {}
    for bar in panel.bars:
        groups.setdefault(bar.group, []).append(bar)
    ticks, top = [], 0.0
    for bars in groups.values():
        for bar in bars:
            axes.barh(top, bar.value, height=0.85, color=colors[bar.series],
                      xerr=[[0], [max(bar.high - bar.value, 0)]], capsize=2,
                      error_kw={"elinewidth": 1, "ecolor": "0.35"})
            axes.text(max(bar.high, bar.value) + gap, top, f"{bar.value:.2f}",
                      va="center", fontsize=8)
            top += 1
        ticks.append(top - (len(bars) + 1) / 2)
        top += 0.6
    axes.set_yticks(ticks, [plain("\n".join(textwrap.wrap(name, _LABEL_WIDTH)))
                            for name in groups])
    axes.invert_yaxis()
    axes.set_title(panel.title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
