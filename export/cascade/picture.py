"""Picture: the score of a cascade over its mean latency, for all thresholds."""

import io

from mobilebert_tf.export.benchmark.chart import plain
from mobilebert_tf.export.cascade.cascade_choice import CascadeChoice
from mobilebert_tf.terminal.counted import counted


def png(choice: CascadeChoice) -> bytes:
    """Draw the curve, both files alone and the chosen threshold; return a PNG picture."""
    # The import takes a second.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.plot([point.mean_ms for point in choice.curve], [point.score for point in choice.curve],
              "-", color="C0", marker=".", markersize=4, label="cascade, by its threshold")
    for point, label, mark, color in (
            (choice.first, f"{plain(choice.files[0].name)} alone", "s", "C2"),
            (choice.second, f"{plain(choice.files[1].name)} alone", "D", "C3"),
            (choice.chosen, f"chosen: {choice.chosen.threshold:.4g}", "o", "C1")):
        axes.plot(point.mean_ms, point.score, mark, color=color, markersize=8, label=label)
    axes.set_xlabel(f"mean ms a text, {counted(choice.num_threads, 'thread')}")
    axes.set_ylabel(f"{choice.task} {choice.metric} on {choice.measured_on:,} dev examples")
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
