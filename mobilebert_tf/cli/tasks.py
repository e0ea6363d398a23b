"""What the commands that work on tasks share: the options that name a task and its files."""

import collections
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.terminal.counted import counted

# How many lines of a file are named.
_SHOWN = 8
HELP = ("cola, sst2, mrpc, stsb, qqp, mnli, mnli_mismatched (to evaluate), qnli, rte, wnli (GLUE), "
        "squad, squad_v2, tagging, similarity (of embeddings, not trained); classification, "
        "multi_label or regression on a table of your own.")

TaskOption = Annotated[str, typer.Option("--task", help=HELP)]
DataOption = Annotated[Path | None, typer.Option(
    "--data", help="Directory with the task's files under their official names. A directory of "
                   "your own tables holds train and dev, each as .tsv, .csv or .jsonl. "
                   "tfds:glue/sst2 and the like read GLUE from tensorflow-datasets.")]
DevOption = Annotated[Path | None, typer.Option(
    "--dev", metavar="FILE", help="Dev file, instead of the one in --data.")]
TrainOption = Annotated[list[Path] | None, typer.Option(
    "--train", metavar="FILE", help="Training file, instead of the one in --data; may be given "
                                    "several times.")]
TextOption = Annotated[str | None, typer.Option(
    "--text", metavar="COLUMN", help="Column of the text, in a table of your own.")]
SecondTextOption = Annotated[str | None, typer.Option(
    "--second-text", metavar="COLUMN", help="Column of the second text, if there is one.")]
LabelOption = Annotated[str | None, typer.Option(
    "--label", metavar="COLUMN", help="Column of the class or the number; for multi_label, of the "
                                      "labels, with | between them.")]


def say_left_out(rows: Sequence[LeftOut]) -> None:
    """Say how many rows of each file were left out, which ones, and why."""
    found = collections.defaultdict(list)
    for row in rows:
        found[row.file, row.reason].append(row.line)
    for (file, reason), lines in found.items():
        is_one = len(lines) == 1
        shown = ", ".join(map(str, lines[:_SHOWN])) + " and others" * (len(lines) > _SHOWN)
        output.progress.print(
            f"{counted(len(lines), 'row')} of {file} left out: line{'s' * (not is_one)} {shown} "
            f"{'has' if is_one else 'have'} {reason}", soft_wrap=True)


def left_out(rows: Sequence[LeftOut]) -> dict:
    """Return what a command's JSON says: the number of rows, and their lines by file."""
    lines = collections.defaultdict(list)
    for row in rows:
        lines[row.file].append(row.line)
    return {"left_out": len(rows), "left_out_lines": lines}
