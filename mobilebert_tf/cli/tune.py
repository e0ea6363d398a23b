"""`mobilebert tune`: which file to ship, with how many threads and at which lengths."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import comma_lists, given_options, output, tasks
from mobilebert_tf.cli.export import TaskOption
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.progress import Progress
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert tune runs/sst2 --data glue/SST-2

mobilebert tune runs/sst2 --data glue/SST-2 --lengths 16,32,64 --texts glue/SST-2/dev.tsv

mobilebert tune a.tflite b.tflite --threads 1,2 --json tuned.json

mobilebert tune a.tflite b.tflite --tool benchmark_model"""

_PHONE = "On a phone"


def run(
    context: typer.Context,
    models: Annotated[list[str], typer.Argument(
        metavar="FILE_OR_MODEL...", help="Model directories, which are exported; .tflite files "
        "with their report.json beside them, or in their package; names of shipped models.")],
    data: tasks.DataOption = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    task: TaskOption = None,
    text: tasks.TextOption = None,
    second_text: tasks.SecondTextOption = None,
    label: tasks.LabelOption = None,
    recipes: Annotated[str, typer.Option(
        help="Recipes of the exports, comma-separated.")] = "dynamic_int8,int8",
    lengths: Annotated[str | None, typer.Option(
        help="Lengths of the exports, comma-separated; by default the length of the fine-tuning. "
             "With --texts, the command names the lengths that are worth keeping.")] = None,
    texts: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Average over these texts, each at the shortest length that fits: one "
                             "a line, or SST-2's .tsv. By default the longest length counts.")
    ] = None,
    threads: Annotated[str | None, typer.Option(
        show_default="1, 2 and 4; on this machine, at most its cores",
        help="Numbers of threads, comma-separated.")] = None,
    loss: Annotated[float, typer.Option(
        min=0, help="Points of the metric that a file's score may be below the best.")] = 1.0,
    runs: Annotated[int, typer.Option(
        min=1, help="Timed runs of each file, length and number of threads.")] = 50,
    tool: Annotated[Path | None, typer.Option(
        rich_help_panel=_PHONE, help="LiteRT's official benchmark_model, in the Android build for "
                                     "the phone's processor; measures there, through adb.")] = None,
    serial: Annotated[str | None, typer.Option(
        rich_help_panel=_PHONE, help="The phone's serial, as `adb devices` shows it.")] = None,
    adb: Annotated[str | None, typer.Option(
        rich_help_panel=_PHONE, show_default="adb", help="The program adb.")] = None,
    json: output.JsonOption = None,
):
    """Measure recipes, lengths and threads, and say which file to ship.

    Only files that passed the comparison with their model are measured. On this machine they take
    turns in one run. The choice: (1) a score at most --loss points below the best; (2) of these the
    fastest, and those at most 5 % slower; (3) of these the best score, then the fewest threads,
    then the smallest file.
    """
    from mobilebert_tf.export.benchmark import texts as on_texts
    from mobilebert_tf.export.tuning.tune import tune
    from mobilebert_tf.inference import shipped

    models = [*map(shipped.resolve, models)]
    of_exports = given_options.among(context, "data", "train", "dev", "task", "text", "second_text",
                                     "label", "recipes", "lengths")
    if of_exports and not any(model.is_dir() for model in models):
        raise InputError(f"{', '.join(of_exports)}: these are about exports, and all models are "
                         "files: name a model directory")
    phone = {name: value for name, value in (
        ("benchmark_model", tool), ("serial", serial), ("adb", adb)) if value is not None}
    if phone and tool is None:
        raise InputError("a phone is measured with LiteRT's benchmark_model: name it with --tool")
    read = None if texts is None else on_texts.read(texts)
    with Progress("Measuring", runs, "runs", "exporting", console=output.progress) as progress:
        found = tune(
            models, texts=read, recipes=comma_lists.names(recipes, "--recipes"),
            lengths=comma_lists.numbers(lengths, "--lengths"),
            threads=comma_lists.numbers(threads, "--threads"), loss=loss, runs=runs,
            phone_settings=phone or None, say=output.progress.print,
            on_round=lambda done, of: progress.update(done), data=data, train=train or (), dev=dev,
            task=task, text=text, second_text=second_text, label=label)
    output.results.print(_table(found))
    for sentence in _sentences(found):
        output.results.print(sentence, soft_wrap=True)
    output.write_json(json, found.to_dict())


def _table(found):
    from mobilebert_tf.export.tuning.tuning import name

    over = ("a run at the longest length" if found.texts is None
            else f"the mean over {counted(found.texts, 'text')}")
    return Table(
        f"{over}, medians of {counted(found.num_runs, 'run')}; ratio: to the fastest",
        (Column("file", words=True), Column("threads"), Column("lengths", words=True),
         Column("ms"), Column("ratio"), Column(found.best.subject.metric), Column("MB"),
         Column("", words=True)),
        [(name(one.subject), str(one.threads), ",".join(map(str, one.lengths)),
          f"{one.mean_ms:.2f}", f"{one.mean_ms / found.candidates[0].mean_ms:.2f}",
          f"{one.subject.score:.4f}", f"{one.subject.bytes / 1e6:.1f}",
          "ship" if one == found.best else "") for one in found.candidates])


def _sentences(found):
    best = found.best
    for what, reason in found.left_out.items():
        yield f"{what} was not measured: {reason}."
    threads = counted(best.threads, "thread")
    listed = ",".join(map(str, best.lengths))
    if best.subject.source == best.subject.file:
        yield f"Ship {best.subject.file}, and run it with {threads}."
    else:
        yield (f"Ship what mobilebert export {shlex.quote(str(best.subject.source))} --recipe "
               f"{best.subject.recipe} --lengths {listed} writes, and run it with {threads}.")
    turns = "all in turn" if found.is_interleaved else "one file after the other"
    yield f"Measured on {found.machine}, {turns}; other devices differ."
    if found.disturbance is not None:
        yield found.disturbance
