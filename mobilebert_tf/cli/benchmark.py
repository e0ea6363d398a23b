"""`mobilebert benchmark`: latency, memory and size of models, side by side on this machine."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.progress import Progress

EXAMPLES = """[bold]Examples[/bold]

mobilebert benchmark

mobilebert benchmark --presets mobilebert,bert_base --recipes float32,dynamic_int8 --lengths 64,128 --peers --output out

mobilebert benchmark --files sst2.tflite,other.onnx

mobilebert benchmark --files short.tflite,long.tflite --texts glue/SST-2/dev.tsv"""  # noqa: E501

_PRESETS = ("mobilebert", "bert_base")


def run(
    presets: Annotated[str | None, typer.Option(
        help="Presets to export with random weights, by commas; where there is nothing else to "
             f"measure, {','.join(_PRESETS)}.")] = None,
    recipes: Annotated[str, typer.Option(help="Recipes for each of them.")] = "dynamic_int8",
    lengths: Annotated[str, typer.Option(
        help="Lengths for each of them, for the peers, and of files that have several.")] = "128",
    task: Annotated[str, typer.Option(
        help="What they are exported for: classification, or encoding, which computes every "
             "token's last state.")] = "classification",
    files: Annotated[str, typer.Option(
        help=".tflite and .onnx files to measure, by commas; any with three integer inputs.")] = "",
    peers: Annotated[bool, typer.Option(
        "--peers", help="Make and measure MobileBERT of other exporters too, as far as they are "
                        "installed.")] = False,
    texts: Annotated[Path | None, typer.Option(
        help="Measure --files on these texts instead: one a line, or SST-2's .tsv.")] = None,
    threads: Annotated[int | None, typer.Option(
        min=1, help="Threads; where not given, the cores there are, at most 4.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Timed runs of each model.")] = 50,
    baseline: Annotated[str | None, typer.Option(
        help="What ratios refer to: a preset, peer or file (without its ending); bert_base where "
             "it is measured, otherwise the first.")] = None,
    directory: Annotated[Path | None, typer.Option(
        "--output", help="Directory for benchmark.json, benchmark.md and benchmark.png.")] = None,
    json: output.JsonOption = None,
):
    """Measure models in turn: median and p95 latency, peak memory, size."""
    paths = [Path(name) for name in _names(files)]
    if texts is not None:
        if presets or peers:
            raise InputError("texts need files with a vocabulary: give --files, not --presets or "
                             "--peers")
        result = measure_texts(paths, texts, threads, baseline, directory)
    else:
        chosen = _PRESETS if presets is None and not (files or peers) else _names(presets or "")
        result = measure(chosen, recipes=_names(recipes), lengths=_numbers(lengths), task=task,
                         files=tuple(paths), with_peers=peers, threads=threads, runs=runs,
                         baseline=baseline, directory=directory)
    output.write_json(json, result)


def measure(presets: tuple[str, ...], *, threads: int | None = None,
            directory: Path | None = None, **plan) -> dict:
    """Measures with a progress bar, prints the table; returns what `--json` writes.

    `plan` are the other arguments of `export.benchmark.plan.Plan`.
    """
    from mobilebert_tf.export.benchmark import compare, host, report
    from mobilebert_tf.export.benchmark.plan import Plan

    made = Plan(presets=tuple(presets), threads=threads or host.default_threads(),
                command=_command(), **plan)
    with Progress("Measuring", made.runs, "runs", "exporting",
                  console=output.progress) as progress:
        comparison = compare.compare(
            made, progress=lambda message: output.progress.print(message),
            on_round=lambda done, of: progress.update(done))
    return _show(report.of_models(comparison), directory)


def measure_texts(files: list[Path], texts: Path, threads: int | None, baseline: str | None,
                  directory: Path | None) -> dict:
    """As `measure`, of files on texts."""
    from mobilebert_tf.export.benchmark import host, text_report
    from mobilebert_tf.export.benchmark import texts as on_texts

    read = on_texts.read(texts)
    with Progress("Measuring", len(read), "texts", console=output.progress) as progress:
        records = on_texts.measure(
            files, read, threads or host.default_threads(), _command(), baseline,
            on_text=lambda done, of: progress.update(done))
    return _show(text_report.of_texts(records), directory)


def _show(report, directory):
    output.results.print(report.table)
    for note in report.notes:
        output.results.print(note)
    if directory is not None:
        report.write(directory)
        output.progress.print(f"Written to {directory}: benchmark.json, .md and .png")
    return report.facts


def _command():
    return shlex.join(["mobilebert", *sys.argv[1:]])


def _names(text):
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(text):
    try:
        return tuple(int(name) for name in _names(text))
    except ValueError:
        raise InputError("lengths should be whole numbers by commas, as 64,128. "
                         f"Received: {text}") from None
