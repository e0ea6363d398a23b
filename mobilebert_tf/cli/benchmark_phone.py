"""`mobilebert benchmark-phone`: latency of files on an Android phone, through adb."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert benchmark-phone sst2.tflite --tool benchmark_model

mobilebert benchmark-phone a.tflite b.tflite --tool benchmark_model --serial R5CT --json p.json"""


def run(
    files: Annotated[list[str], typer.Argument(
        help="Files to measure, packages, or names of shipped models.")],
    tool: Annotated[Path, typer.Option(
        help="LiteRT's official benchmark_model, in the Android build for the phone's processor.")],
    serial: Annotated[str | None, typer.Option(
        help="The phone's serial, as `adb devices` shows it; needed if several are connected.")
    ] = None,
    threads: Annotated[int | None, typer.Option(
        min=1, show_default="4", help="Threads.")] = None,
    runs: Annotated[int | None, typer.Option(
        min=1, show_default="50", help="Timed runs of each file, at least.")] = None,
    adb: Annotated[str | None, typer.Option(show_default="adb", help="The program adb.")] = None,
    json: output.JsonOption = None,
):
    """Measure files on a connected phone; remove everything pushed to it afterwards."""
    from mobilebert_tf.export.benchmark import phone
    from mobilebert_tf.inference import shipped

    settings = {"serial": serial, "threads": threads, "runs": runs, "adb": adb}
    records = phone.measure([*map(shipped.resolve, files)], tool, say=output.progress.print, **{
        name: value for name, value in settings.items() if value is not None})
    output.results.print(_table(records))
    output.write_json(json, {"records": [dataclasses.asdict(record) for record in records]})


def _table(records):
    phone = records[0].phone
    about = f"Android {phone.android}{f', {phone.soc}' if phone.soc else ''}, {phone.abi}"
    rows = []
    for record in records:
        timing = record.timing
        rows.append((record.file, str(record.length or "-"), str(timing.runs), *(
            "-" if value is None else f"{value:.2f}"
            for value in (timing.avg_ms, timing.median_ms, timing.p95_ms, timing.min_ms)),
            f"{record.bytes / 1e6:.1f}"))
    return Table(
        f"{phone.manufacturer} {phone.model}, {about}, {counted(records[0].threads, 'thread')}",
        (Column("file", words=True), Column("length", rank=1), Column("runs", rank=4),
         Column("avg ms"), Column("median ms"), Column("p95 ms", rank=2), Column("min ms", rank=3),
         Column("file MB")), rows)
