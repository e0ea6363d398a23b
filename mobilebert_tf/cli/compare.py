"""`mobilebert compare`: the systems of the field side by side, published and measured."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import comma_lists, output
from mobilebert_tf.terminal.progress import Progress

EXAMPLES = """[bold]Examples[/bold]

mobilebert compare --output out/comparison

mobilebert compare --systems mobilebert,tinybert_4l,distilbert_6l --threads 1,2

mobilebert compare --no-latency --json comparison.json

The same command again continues one that was stopped: --output keeps the files."""


def run(
    systems: Annotated[str | None, typer.Option(
        show_default="all", help="Systems, separated by commas, such as mobilebert,tinybert_4l.",
    )] = None,
    length: Annotated[int, typer.Option(min=1, help="Sequence length.")] = 128,
    recipe: Annotated[str, typer.Option(help="Export recipe of our files.")] = "dynamic_int8",
    threads: Annotated[str | None, typer.Option(
        show_default="the cores there are, at most 4",
        help="Threads; several numbers, separated by commas, are measured one after another.",
    )] = None,
    runs: Annotated[int, typer.Option(min=1, help="Timed runs of each file.")] = 50,
    latency: Annotated[bool, typer.Option(
        help="Measure the files. Without it, they are made for their sizes alone.")] = True,
    directory: Annotated[Path | None, typer.Option(
        "--output", help="Directory for comparison.json, .md and .png, and for the files, which "
                         "are not made again.")] = None,
    json: output.JsonOption = None,
):
    """Compare MobileBERT with BERT, DistilBERT, TinyBERT, BERT-PKD, PD and MiniLM.

    For each system at its published size: exact parameters, FLOPs, size and latency of our file,
    beside the published figures. Making the files takes minutes; with --output they are kept for
    the next run.
    """
    numbers = comma_lists.numbers(threads, "--threads")
    from mobilebert_tf.export.comparison import report
    from mobilebert_tf.export.comparison.compare import compare

    with Progress("Measuring", runs, "runs", "exporting", console=output.progress) as progress:
        made = report.of(compare(
            comma_lists.names(systems, "--systems"), length=length, recipe=recipe,
            threads=numbers, runs=runs, with_latency=latency,
            files=None if directory is None else directory / "files",
            command=shlex.join(["mobilebert", *sys.argv[1:]]), say=output.progress.print,
            on_round=lambda done, of: progress.update(done)))
    _show(made)
    if directory is not None:
        made.write(directory)
        output.progress.print(f"Written to {directory}: comparison.json, .md"
                              + " and .png" * bool(made.panels))
    output.write_json(json, made.facts)


def _show(made):
    output.results.print(made.summary)
    for note in made.notes:
        output.results.print(note)
    for one in made.scores:
        output.results.print()
        output.results.print(one.table)
        output.results.print(one.note)
    for place, sentence in enumerate(made.footnotes, 1):
        output.results.print(f"[{place}] {sentence}")
