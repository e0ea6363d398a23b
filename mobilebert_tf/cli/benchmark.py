"""`mobilebert benchmark`: latency, memory and size of models, side by side on this machine."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import Progress

from mobilebert_tf.cli import output, startup

EXAMPLES = """[bold]Examples[/bold]

mobilebert benchmark

mobilebert benchmark --presets mobilebert,mobilebert_tiny,bert_base --recipe float32 --json b.json

mobilebert benchmark --presets mobilebert --files sst2.tflite,other.tflite"""


def run(
    presets: Annotated[str, typer.Option(
        help="Presets to export with random weights, by commas; '' for none.")]
    = "mobilebert,bert_base",
    recipe: Annotated[str, typer.Option(help="Recipe to export them with.")] = "dynamic_int8",
    length: Annotated[int, typer.Option(help="Sequence length to export them at.")] = 128,
    threads: Annotated[int | None, typer.Option(
        min=1, help="Threads; where not given, the cores there are, at most 4.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Timed runs of each model.")] = 50,
    files: Annotated[str, typer.Option(
        help="Files to measure beside them, by commas; any with three integer inputs.")] = "",
    json: output.JsonOption = None,
):
    """Measure models in turn through LiteRT: median and p95 latency, peak memory, size."""
    output.write_json(json, measure(
        _names(presets), recipe, length, threads, runs, [Path(name) for name in _names(files)]))


def measure(presets: list[str], recipe: str = "dynamic_int8", length: int = 128,
            threads: int | None = None, runs: int = 50, files: tuple[Path, ...] = ()) -> dict:
    """Measures with a progress bar and prints the table; returns what `--json` writes."""
    startup.tensorflow()
    from mobilebert_tf.export.benchmark import compare, report

    with Progress(console=output.progress, transient=True) as bar:
        task = bar.add_task("Measuring", total=runs, visible=False)
        records = compare.compare(
            presets, recipe, length, threads, runs, files,
            progress=lambda message: output.progress.print(escape(message)),
            on_round=lambda done, of: bar.update(task, completed=done, visible=True))
    output.results.print(report.table(records))
    for note in report.notes(records):
        output.results.print(escape(note))
    return {"records": [
        {**dataclasses.asdict(record), "times_as_fast_as_bert_base": speed_up}
        for record, speed_up in zip(records, compare.speed_ups(records), strict=True)]}


def _names(text):
    return [name.strip() for name in text.split(",") if name.strip()]
