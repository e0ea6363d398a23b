"""Draw the pictures of the README and the documentation as SVG beside this file.

    python docs/pictures/draw.py

The background is transparent and text outside a box is mid-grey, so that a picture can be read on a
light page and on a dark one.
"""

import pathlib

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch  # noqa: E402

DIRECTORY = pathlib.Path(__file__).parent
BLUE, TEAL, AMBER, VIOLET, GREY = "#2f6fde", "#0f8a7e", "#c2610c", "#7c4dcc", "#7a828e"
# The same bytes on every run: no date, and ids that do not change.
plt.rcParams.update({"svg.hashsalt": "mobilebert", "svg.fonttype": "path",
                     "font.family": "DejaVu Sans"})


class Canvas:
    """A drawing in inches with boxes, arrows and notes; x grows to the right, y upwards."""

    def __init__(self, width, height):
        self.figure = plt.figure(figsize=(width, height))
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, width), ylim=(0, height))
        self.axes.axis("off")

    def box(self, x, y, width, height, title, note="", color=BLUE, size=11):
        """Draw a filled box centred at (x, y) with a title and a smaller note below it."""
        self.axes.add_patch(FancyBboxPatch(
            (x - width / 2, y - height / 2), width, height, linewidth=0, facecolor=color,
            boxstyle="round,pad=0,rounding_size=0.09"))
        shift = 0.12 if note else 0
        lines = note.count("\n") * 0.08
        self.axes.text(x, y + shift + lines, title, color="white", size=size, weight="bold",
                       ha="center", va="center")
        if note:
            self.axes.text(x, y - shift - 0.02, note, color="white", size=size - 3, ha="center",
                           va="center", linespacing=1.3)

    def circle(self, x, y, text="+"):
        """Draw the sum of two arrows."""
        self.axes.text(x, y, text, color="white", size=13, weight="bold", ha="center",
                       va="center_baseline",
                       bbox={"boxstyle": "circle,pad=0.18", "facecolor": GREY, "linewidth": 0})

    def arrow(self, *points):
        """Draw a line through the points that ends in an arrow head."""
        self.axes.add_patch(FancyArrowPatch(
            path=matplotlib.path.Path(points), arrowstyle="-|>", mutation_scale=13,
            edgecolor=GREY, facecolor=GREY, linewidth=1.6, joinstyle="round"))

    def note(self, x, y, text, size=9.5, color=GREY, **options):
        self.axes.text(x, y, text, color=color, size=size,
                       **({"ha": "center", "va": "center", "linespacing": 1.35} | options))

    def save(self, name):
        self.figure.savefig(DIRECTORY / f"{name}.svg", transparent=True, metadata={"Date": None})
        plt.close(self.figure)


def road():
    """From text to the phone: what each command makes, and where one may start."""
    canvas = Canvas(11, 3.9)
    y = 2.95
    top = [(1.1, "texts", "novels, web pages,\nyour own", GREY),
           (3.3, "corpus", "word pieces,\nsentence pairs", BLUE),
           (5.5, "teacher", "wide, with bottlenecks:\nmasked words", BLUE),
           (7.7, "student", "thin: imitates the\nteacher, block by block", BLUE)]
    for x, title, note, color in top:
        canvas.box(x, y, 1.75, 0.95, title, note, color)
    for x, command in ((2.2, "corpus"), (4.4, "pretrain"), (6.6, "distill")):
        canvas.arrow((x - 0.22, y), (x + 0.22, y))
        canvas.note(x, y + 0.68, f"mobilebert\n{command}", size=8.5)
    canvas.box(9.85, y, 1.75, 0.95, "or start here", "models/mobilebert_mini,\n"
               "a checkpoint from the hub", TEAL)
    y = 0.95
    bottom = [(9.85, 1.75, "your task", "fine-tuned on\nyour labels", TEAL),
              (7.2, 2.1, "comparison", "file against model, on the\ndev set: refused if worse",
               AMBER),
              (4.3, 2.1, ".tflite files", "8-bit weights, vocabulary,\nlabels; card and checksums",
               AMBER),
              (1.35, 2.25, "phone, browser", "Android demo, MediaPipe,\nLiteRT, LiteRT.js", VIOLET)]
    for x, width, title, note, color in bottom:
        canvas.box(x, y, width, 0.95, title, note, color)
    canvas.arrow((9.85, 2.42), (9.85, 1.48))
    canvas.arrow((7.7, 2.45), (7.7, 1.98), (9.4, 1.98), (9.4, 1.48))
    canvas.note(10.0, 1.95, "mobilebert\nfinetune", size=8.5, ha="left")
    for x in (8.62, 5.75, 2.86):
        canvas.arrow((x + 0.3, y), (x - 0.3, y))
    canvas.note(8.62, y - 0.68, "mobilebert export\nor package", size=8.5)
    canvas.note(2.86, y - 0.68, "copy the file", size=8.5)
    canvas.save("road")


def block():
    """One block of MobileBERT, with the sizes of the published model."""
    canvas = Canvas(11, 3.75)
    canvas.box(0.75, 1.75, 1.1, 1.1, "input", "512 features\nper token", GREY)
    canvas.box(2.65, 2.3, 1.6, 0.8, "bottleneck", "512 → 128", TEAL)
    canvas.box(2.65, 1.2, 1.6, 0.8, "bottleneck", "512 → 128", TEAL)
    canvas.box(5.25, 1.2, 1.4, 0.95, "attention", "4 heads,\n128 features", BLUE)
    canvas.circle(6.3, 2.3)
    canvas.box(7.6, 2.3, 1.75, 0.95, "4 × feed-forward", "128 → 512 → 128,\neach with its own sum",
               BLUE, size=10)
    canvas.box(9.4, 2.3, 1.3, 0.8, "bottleneck", "128 → 512", TEAL)
    canvas.circle(10.4, 2.3)
    canvas.arrow((1.33, 1.85), (1.55, 1.85), (1.55, 2.3), (1.83, 2.3))
    canvas.arrow((1.33, 1.65), (1.55, 1.65), (1.55, 1.2), (1.83, 1.2))
    canvas.arrow((1.55, 1.3), (1.55, 0.35), (5.25, 0.35), (5.25, 0.7))
    canvas.note(3.4, 0.52, "values, from all 512 features", size=8.5)
    canvas.arrow((3.45, 1.2), (4.53, 1.2))
    canvas.note(4.0, 1.37, "queries, keys", size=8.5)
    canvas.arrow((3.45, 2.3), (6.1, 2.3))
    canvas.arrow((5.95, 1.2), (6.3, 1.2), (6.3, 2.1))
    canvas.arrow((6.49, 2.3), (6.7, 2.3))
    canvas.arrow((8.48, 2.3), (8.73, 2.3))
    canvas.arrow((10.05, 2.3), (10.21, 2.3))
    canvas.arrow((0.75, 2.32), (0.75, 3.15), (10.4, 3.15), (10.4, 2.5))
    canvas.note(5.6, 3.37, "the block's input is added to its output", size=9)
    canvas.arrow((10.59, 2.3), (10.97, 2.3))
    canvas.note(8.5, 0.85, "Every sum and every bottleneck ends in NoNorm,\n"
                "γ · x + β, in place of LayerNorm; the activation is\n"
                "ReLU, not GELU. MobileBERT has 24 such blocks.", size=9)
    canvas.save("block")


if __name__ == "__main__":
    road()
    block()
