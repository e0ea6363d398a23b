"""`mobilebert lengths`: the lengths of a file with which the user's own texts run fastest."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import comma_lists, given_options, output
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.progress import Progress
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert lengths runs/sst2 --texts glue/SST-2/dev.tsv

mobilebert lengths runs/mails --texts mails.txt --budget 3 --candidates 24,48,96,192

mobilebert lengths several_lengths.tflite --texts mails.txt --threads 1 --json lengths.json"""


def run(
    context: typer.Context,
    model: Annotated[str, typer.Argument(
        help="Model directory, which is exported at each candidate; or a .tflite file, its package "
             "or the name of a shipped model, whose lengths are measured.")],
    texts: Annotated[Path, typer.Option(
        metavar="FILE", help="The texts that the file will read, or a sample of them: one a line, "
                             "or SST-2's .tsv.")],
    budget: Annotated[int, typer.Option(min=1, help="The most lengths.")] = 6,
    candidates: Annotated[str | None, typer.Option(
        show_default="a file's own; else 16, 24, 32, 48, 64, ... to the length of the fine-tuning",
        help="Lengths to choose from, comma-separated. The longest is always chosen.")] = None,
    recipe: Annotated[str, typer.Option(
        help="Recipe of the exports; one that needs no texts of a task.")] = "dynamic_int8",
    threads: Annotated[int | None, typer.Option(
        min=1, show_default="the cores there are, at most 4", help="Threads.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Timed runs at each length.")] = 50,
    json: output.JsonOption = None,
):
    """Measure lengths on this machine, and choose those with the least mean latency over texts."""
    from mobilebert_tf.export.benchmark import texts as on_texts
    from mobilebert_tf.export.lengths.choose import choose_lengths
    from mobilebert_tf.inference import shipped

    model = shipped.resolve(model)
    if given_options.among(context, "recipe") and model.is_file():
        raise InputError(f"--recipe is about exports, and {model} is a file: name its model "
                         "directory")
    read = on_texts.read(texts)
    with Progress("Measuring", runs, "runs", "exporting", console=output.progress) as progress:
        found = choose_lengths(
            model, read, budget=budget, candidates=comma_lists.numbers(candidates, "--candidates"),
            recipe=recipe, threads=threads, runs=runs, say=output.progress.print,
            on_round=lambda done, of: progress.update(done))
    output.results.print(_lengths_table(found))
    output.results.print(_sets_table(found))
    output.results.print(
        f"Export with --lengths {','.join(map(str, found.lengths))}. The longest text has "
        f"{found.longest_text} tokens. Measured on this machine, {found.machine}; a phone's "
        "latencies differ.", soft_wrap=True)
    if found.disturbance is not None:
        output.results.print(found.disturbance, soft_wrap=True)
    output.write_json(json, found.to_dict())


def _lengths_table(found):
    return Table(
        f"{found.model}, {found.recipe}: {counted(found.texts, 'text')}, "
        f"{counted(found.num_threads, 'thread')}, medians of {counted(found.num_runs, 'run')} in "
        "turn",
        (Column("length"), Column("median ms"), Column("need it"), Column("chosen"),
         Column("run at it")),
        [(str(length), f"{found.costs[length]:.2f}", f"{found.counts[length] / found.texts:.1%}",
          *(("yes", f"{found.share(length, found.lengths):.1%}") if length in found.lengths
            else ("", ""))) for length in found.costs])


def _sets_table(found):
    return Table(
        f"The best lengths; ratio: mean latency, of {max(found.costs)} alone",
        (Column("at most"), Column("lengths", words=True), Column("mean ms"), Column("ratio")),
        [(str(number), ", ".join(map(str, chosen)), f"{found.mean_ms(chosen):.2f}",
          f"{found.mean_ms(chosen) / found.fixed_ms:.2f}")
         for number, chosen in enumerate(found.sets, 1)])
