"""`mobilebert benchmark`: latency, memory and size of models, side by side on this machine."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import comma_lists, given_options, output
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.progress import Progress

EXAMPLES = """[bold]Examples[/bold]

mobilebert benchmark

mobilebert benchmark --presets mobilebert,bert_base --recipes float32,dynamic_int8 --lengths 64,128 --peers --output out

mobilebert benchmark --files sst2.tflite,other.onnx

mobilebert benchmark --files short.tflite,long.tflite --texts glue/SST-2/dev.tsv"""  # noqa: E501


# What is not given, `Plan` decides; a test holds the defaults shown here to it.
def run(
    context: typer.Context,
    presets: Annotated[str | None, typer.Option(
        show_default="mobilebert,bert_base; none with --files or --peers",
        help="Presets to export with random weights, separated by commas.")] = None,
    recipes: Annotated[str | None, typer.Option(
        show_default="dynamic_int8", help="Recipes for each preset.")] = None,
    lengths: Annotated[str | None, typer.Option(
        show_default="128",
        help="Lengths to measure. A file of one length is measured at that.")] = None,
    kind: Annotated[str | None, typer.Option(
        show_default="classification",
        help="Kind of the exported models: classification, or encoding, which computes the last "
             "state of every token.")] = None,
    files: Annotated[str | None, typer.Option(
        help=".tflite and .onnx files to measure, separated by commas; any with three integer "
             "inputs. Also packages, and names of shipped models.")] = None,
    peers: Annotated[bool, typer.Option(
        "--peers", help="Make and measure MobileBERT of other exporters too, if they are "
                        "installed.")] = False,
    texts: Annotated[Path | None, typer.Option(
        help="Measure --files on these texts instead: one a line, or SST-2's .tsv.")] = None,
    threads: Annotated[int | None, typer.Option(
        min=1, show_default="the cores there are, at most 4", help="Threads.")] = None,
    runs: Annotated[int | None, typer.Option(
        min=1, show_default="50", help="Timed runs of each model.")] = None,
    baseline: Annotated[str | None, typer.Option(
        show_default="bert_base if measured, otherwise the first",
        help="Ratios refer to this preset, peer or file (without its suffix).")] = None,
    directory: Annotated[Path | None, typer.Option(
        "--output", help="Directory for benchmark.json, benchmark.md and benchmark.png.")] = None,
    json: output.JsonOption = None,
):
    """Measure models in turn: median and p95 latency, peak memory, size."""
    from mobilebert_tf.inference import shipped

    paths = tuple(shipped.resolve(file)
                  for file in comma_lists.names(files, "--files") or ())
    given = [option for option, value in (("--recipes", recipes), ("--kind", kind))
             if value is not None]
    if given and texts is None and presets is None and (files or peers):
        raise InputError(f"{given[0]} is for presets: name some with --presets, or leave it out")
    if texts is None:
        made = of_models(
            presets=comma_lists.names(presets, "--presets"),
            recipes=comma_lists.names(recipes, "--recipes"),
            lengths=comma_lists.numbers(lengths, "--lengths"), kind=kind, files=paths,
            with_peers=peers, threads=threads, runs=runs, baseline=baseline)
    else:
        given = given_options.among(context, "presets", "peers", "recipes", "lengths", "kind",
                                    "runs")
        if given:
            raise InputError(f"--texts times --files with a vocabulary, each text once: leave out "
                             f"{', '.join(given)}")
        made = _of_texts(paths, texts, threads, baseline)
    show(made, directory)
    output.write_json(json, made.facts)


def of_models(**settings):
    """Measure with a progress bar; return the report.

    Args:
      settings: arguments of `Plan`; those that are None keep its defaults.
    """
    from mobilebert_tf.export.benchmark import report
    from mobilebert_tf.export.benchmark.compare import compare
    from mobilebert_tf.export.benchmark.plan import Plan

    plan = Plan(command=_command(), **{
        name: value for name, value in settings.items() if value is not None})
    with Progress("Measuring", plan.runs, "runs", "exporting",
                  console=output.progress) as progress:
        return report.of_models(compare(
            plan, say=output.progress.print, on_round=lambda done, of: progress.update(done)))


def show(report, directory: Path | None = None) -> None:
    """Print a report; write its files if there is a directory for them."""
    output.results.print(report.table)
    for note in report.notes:
        output.results.print(note)
    if directory is not None:
        report.write(directory)
        output.progress.print(f"Written to {directory}: benchmark.json, .md and .png")


def _of_texts(files, path, threads, baseline):
    from mobilebert_tf.export.benchmark import text_report
    from mobilebert_tf.export.benchmark import texts as on_texts

    texts = on_texts.read(path)
    with Progress("Measuring", len(texts), "texts", console=output.progress) as progress:
        return text_report.of_texts(on_texts.measure(
            files, texts, threads=threads, baseline=baseline, command=_command(),
            on_text=lambda done, of: progress.update(done)))


def _command():
    return shlex.join(["mobilebert", *sys.argv[1:]])
