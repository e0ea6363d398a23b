"""What the commands share that run a model over files of texts."""

import time
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.checks import LEAST_LENGTH
from mobilebert_tf.cli import beam, output, startup
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.table import Table


class Format(str, Enum):
    """The formats of shards, whose modules need NumPy."""

    jsonl = "jsonl"
    parquet = "parquet"


# What the options of a job are listed under in the help.
PANEL = "Apache Beam job"
TEXTS_HELP = ("Files of any size: a file, a glob, or a directory with .txt files; may be given "
              "several times. A row is a line; or, in a .jsonl file, an object with text, and "
              "perhaps id and second_text.")
OUTPUT_HELP = ("Directory for the answers; a job that was stopped continues there. All workers "
               "must see it under this name.")
FormatOption = Annotated[Format | None, typer.Option(
    "--format", rich_help_panel=PANEL, help="Format of the shards: JSON Lines or Parquet.",
    show_default="jsonl")]
ShardRowsOption = Annotated[int | None, typer.Option(
    min=1, rich_help_panel=PANEL, help="Most rows of a shard, which are in memory together.",
    show_default="8192")]
LengthOption = Annotated[int | None, typer.Option(
    min=LEAST_LENGTH, help="The most tokens of a row of a model directory; a file has its own.")]
ThreadsOption = Annotated[int, typer.Option(
    min=1, help="Threads of the CPU kernels in each process.")]
WorkersOption = Annotated[int | None, typer.Option(
    min=1, rich_help_panel=PANEL, help="Processes of Beam's local runner.",
    show_default="one a processor")]
BeamFlagOption = Annotated[list[str] | None, typer.Option(
    metavar="FLAG", rich_help_panel=PANEL,
    help="A flag of Apache Beam, as in --beam-flag=--runner=FlinkRunner; may be given several "
         "times.")]


def run(function: Callable, *arguments, json: Path | None, settings: dict,
        split: Callable = lambda found: (found, {}), **options):
    """Run a job under a progress bar, and print what came out.

    Args:
      function: takes `arguments`, a `JobSettings`, `options` and `on_progress`.
      json: of the option `--json`.
      settings: of the job; those that are None keep their defaults.
      split: what the function returns -> (the `BatchResult` in it, further entries for `json`).
    Returns:
      what the function returns.
    """
    from mobilebert_tf.inference.batch.job_settings import JobSettings

    given = {name: value for name, value in settings.items() if value is not None}
    flags = tuple(given.pop("beam_flags", ()))
    made = JobSettings(**given, beam_flags=flags)
    started = time.monotonic()
    with beam.progress("rows", flags) as progress:
        found = function(
            *arguments, made, on_progress=lambda done, parts, rows, total: progress.update(
                rows, f"{done} of {parts} parts", total), **options)
    result, more = split(found)
    _show(result, arguments[-1], time.monotonic() - started)
    output.write_json(json, {"output": str(arguments[-1]), "model": result.model,
                             "shards": len(result.shards), "features": result.features,
                             "seconds": time.monotonic() - started, "counters": result.counters,
                             **more})
    return found


def require_beam() -> None:
    """Raise InputError if Apache Beam is not installed."""
    startup.beam("batch")


def _show(result, directory, seconds):
    counters = result.counters
    output.results.print(Table(
        f"{counted(len(result.shards), 'shard')} in {directory}",
        (Column("what", words=True), Column("count")),
        [(output.counter_name(name), f"{count:,}") for name, count in counters.items()]))
    output.results.print(f"{seconds:.1f} s", soft_wrap=True)
    bad = sum(count for name, count in counters.items() if name.startswith("skipped_"))
    if bad:
        output.progress.print(f"rows without an answer: {bad:,}; "
                              f"{Path(directory) / 'bad_rows.jsonl'} says why", style="yellow",
                              soft_wrap=True)
