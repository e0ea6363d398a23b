"""`mobilebert cascade`: when a small file should ask a larger one."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, tasks
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.progress import Progress
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert cascade small.tflite large.tflite --task sst2 --data glue/SST-2 --output cascade.json

mobilebert cascade a.tflite b.tflite --task sst2 --data SST-2 --loss 0.2 --output cascade.json

mobilebert cascade a.tflite b.tflite --task sst2 --data SST-2 --output c.json --picture c.png

mobilebert predict cascade.json 'a gripping film'"""

# The table has a row for each so many percent of the texts.
_EVERY = 10


def run(
    first: Annotated[str, typer.Argument(
        help="The smaller, faster .tflite file, best exported with --calibrate; its package, "
             "or the name of a shipped model.")],
    second: Annotated[str, typer.Argument(
        help="The larger one, which is asked where the first is not sure.")],
    task: tasks.TaskOption,
    file: Annotated[Path, typer.Option(
        "--output", metavar="FILE", help="The .json to write: the threshold, and both files by "
                                         "name and checksum. mobilebert predict takes it.")],
    data: tasks.DataOption = None,
    dev: tasks.DevOption = None,
    text: tasks.TextOption = None,
    second_text: tasks.SecondTextOption = None,
    label: tasks.LabelOption = None,
    loss: Annotated[float, typer.Option(
        help="Points of the metric that the cascade may lose against the second file alone, on "
             "the half of the dev set that chooses the threshold.")] = 0.5,
    threads: Annotated[int | None, typer.Option(
        min=1, show_default="the cores there are, at most 4", help="Threads.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Timed runs of each file at each length.")] = 50,
    picture: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Also draw the score over the mean latency, as PNG.")] = None,
    json: output.JsonOption = None,
):
    """Choose the confidence below which a small file asks a larger one, and measure both.

    The 1st, 3rd, 5th, ... dev examples choose the threshold: thresholds are tried from the highest
    down, and the last one before a loss of more than --loss is taken. The other examples give the
    scores and latencies.
    """
    from mobilebert_tf.export.cascade import cascade_file
    from mobilebert_tf.export.cascade import picture as pictures
    from mobilebert_tf.export.cascade.choose import choose_cascade
    from mobilebert_tf.inference import shipped

    if file.suffix != ".json":
        raise InputError(f"a cascade is a .json file, by which predict knows it. Received: {file}")
    if file.is_dir():
        raise InputError(f"{file} is a directory: name a file for the cascade")
    first, second = map(shipped.resolve, (first, second))
    cascade_file.check_names((first, second))
    with Progress("Running", None, "steps", console=output.progress) as progress:
        found = choose_cascade(
            first, second, task, data=data, dev=dev, text=text, label=label,
            second_text=second_text, loss=loss, threads=threads, runs=runs,
            track=progress.track,
            on_round=lambda done, of: progress.update(done, "Measuring in turn", of))
    # What was measured is there even if the cascade cannot be written.
    output.results.print(_table(found))
    output.write_json(json, found.to_dict())
    cascade_file.write(file, found.files, found.kind, found.chosen.threshold, found.facts())
    output.results.print(_summary(found, file), soft_wrap=True)
    if found.is_beaten:
        output.results.print("There is no use for a cascade here: it is no faster than the second "
                             "file alone, and no better. Ship that.", soft_wrap=True)
    for one, asked in (("first", 0), ("second", 1)):
        if found.chosen.asked == asked:
            output.results.print(f"There is no use for a cascade here: the {one} file answers all "
                                 "texts of that half. Ship it alone.", soft_wrap=True)
    if found.disturbance is not None:
        output.results.print(found.disturbance, soft_wrap=True)
    if picture is not None:
        write_atomically(picture, pictures.png(found))
        output.results.print(f"picture in {picture}", soft_wrap=True)


def _table(found):
    return Table(
        f"{found.task} on the {found.measured_on:,} dev examples that chose nothing; ratio: mean "
        "latency, of the second file alone",
        (Column("what", words=True), Column("threshold"), Column("asks"), Column(found.metric),
         Column("loss"), Column("mean ms"), Column("ratio")),
        [_row(found, "first alone", found.first),
         *(_row(found, "chosen" if point == found.chosen else "cascade", point)
           for point in _shown(found)),
         _row(found, "second alone", found.second)])


def _shown(found):
    """The points of the table: the first that asks about each tenth of the texts, and the chosen.
    """
    first_of = {}
    for point in found.curve:
        if point.asked:
            first_of.setdefault(int(100 * point.asked) // _EVERY, point)
    return [point for point in found.curve
            if point == found.chosen or point in first_of.values()]


def _row(found, what, point):
    return (what, "-" if point.threshold is None else f"{point.threshold:.4f}",
            f"{point.asked:.1%}", f"{point.score:.4f}", f"{found.loss(point):.2f}",
            f"{point.mean_ms:.2f}", f"{found.ratio(point):.2f}")


def _summary(found, file):
    noise = "" if found.loss_noise is None else f" (standard error {found.loss_noise:.2f})"
    return (f"{file}: the second file is asked where the first one's confidence is at most "
            f"{found.chosen.threshold:.4f}, which is {found.chosen.asked:.1%} of the texts. The "
            f"mean latency is {found.ratio(found.chosen):.2f} of the second file's, and the loss "
            f"{found.loss(found.chosen):.2f} points{noise}. The first one's calibration error is "
            f"{found.calibration_error:.4f}. Latencies are without tokenization, of this machine, "
            f"{found.machine}; a phone's differ.")
