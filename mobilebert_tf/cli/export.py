"""`mobilebert export`: from a model directory to a .tflite file that was evaluated."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import comma_lists, output, tasks
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.counted import counted
from mobilebert_tf.terminal.progress import track
from mobilebert_tf.terminal.table import Table

EXAMPLES = """[bold]Examples[/bold]

mobilebert export runs/sst2 --data glue/SST-2 --output sst2.tflite

mobilebert export runs/sst2 --data glue/SST-2 --recipe float32 --lengths 64 --output sst2_64.tflite

mobilebert export runs/sst2 --data glue/SST-2 --calibrate --output sst2.tflite

mobilebert export all-MiniLM-L6-v2 --output encoder.tflite

mobilebert export all-MiniLM-L6-v2 --task similarity --data glue/STS-B --output sentences.tflite

mobilebert export downloaded/sst2 --task sst2 --data glue/SST-2 --output sst2.tflite"""

LengthsOption = Annotated[str | None, typer.Option(
    help="Sequence lengths of the file's inputs, comma-separated; a signature for each. By default "
         "the length of the fine-tuning. If that is unknown: 384 for question answering, 128 "
         "otherwise.")]
TaskOption = Annotated[str | None, typer.Option(
    help=f"Name the model's task if its directory does not: {tasks.HELP}")]
CalibrateOption = Annotated[bool, typer.Option(
    "--calibrate", help="Divide the logits by a temperature, so that probabilities are near the "
                        "share of right answers. One half of the dev set chooses the temperature, "
                        "the other measures the calibration error.")]
VocabOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="Vocabulary, if the directory has none.")]


def run(
    model: Annotated[Path, typer.Argument(help="Model directory, as finetune writes it.")],
    file: Annotated[Path, typer.Option("--output", metavar="FILE", help="The .tflite to write; "
                                       "its report goes beside it, as .report.json.")],
    recipe: Annotated[str, typer.Option(
        help="Quantization recipe: float32, float16, dynamic_int8, int8, full_int8 or int4.")
    ] = "dynamic_int8",
    lengths: LengthsOption = None,
    data: Annotated[Path | None, typer.Option(
        help="Directory of the task's files: the file is evaluated on the dev set; int8 "
             "and full_int8 learn ranges from training texts.")] = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    task: TaskOption = None,
    text: tasks.TextOption = None,
    second_text: tasks.SecondTextOption = None,
    label: tasks.LabelOption = None,
    ungated: Annotated[bool, typer.Option(
        "--ungated", help="Write the file without evaluating it.")] = False,
    keep_failing: Annotated[bool, typer.Option(
        "--keep-failing", help="Write the file even when it loses more than its recipe may.",
    )] = False,
    calibrate: CalibrateOption = False,
    vocab: VocabOption = None,
    json: output.JsonOption = None,
):
    """Export a model for LiteRT, and compare the file with the model on its task's dev set.

    If the file loses more points of the task's metric than its recipe may, it is not written and
    the command exits with 1.
    """
    from mobilebert_tf.export.export_model import export_model
    from mobilebert_tf.export.failed_gate import FailedGate

    if ungated and keep_failing:
        raise InputError("--keep-failing is about an evaluation, which --ungated leaves out")
    try:
        exported = export_model(
            model, file, recipe=recipe, lengths=comma_lists.numbers(lengths, "--lengths"),
            task=task, data=data, train=train or (), dev=dev, text=text, label=label,
            second_text=second_text, vocab=vocab, gated=not ungated, keep_failing=keep_failing,
            calibrate=calibrate, track=track, say_left_out=tasks.say_left_out)
    except FailedGate as failure:
        _show(failure.exported, json)
        written = "written all the same" if failure.is_written else (
            "not written (--keep-failing does)")
        fail(f"{failure}; {file} is {written}")
    _show(exported, json)
    _say_what_lacks(exported, ungated)


def _show(exported, json):
    output.results.print(_table(exported))
    output.write_json(json, {"file": str(exported.file), **exported.to_json()})


def _say_what_lacks(exported, ungated):
    from mobilebert_tf import kinds

    if not exported.has_vocabulary:
        output.progress.print("The file carries no vocabulary, so predict cannot use it: "
                              "give one with --vocab.")
    if exported.verdict is None and not ungated and kinds.get(exported.report.kind).has_task:
        output.progress.print("The file was not evaluated, because the directory does not name the "
                              "model's task. To evaluate it, give --task and --data.")


def fail(sentence: str) -> None:
    """Say why a gate failed, and exit with 1."""
    output.fail("Failed:", sentence)
    raise typer.Exit(1)


def _table(exported):
    report, verdict = exported.report, exported.verdict
    return Table(str(exported.file), (Column("what", words=True), Column("found", words=True)), (
        ("kind", report.kind), ("recipe", report.recipe),
        ("lengths", ", ".join(map(str, report.lengths))),
        ("size", f"{report.bytes / 1e6:.2f} MB"),
        *((f"output {name}", f"{one.shape}, off the Keras model by at most "
                             f"{one.max_difference:.2g} ({one.max_relative_difference:.1g} "
                             "of its largest value)")
          for name, one in report.outputs.items()),
        ("graph", f"{counted(report.nodes, 'node')}, "
                  f"{counted(report.xnnpack_partitions, 'XNNPACK partition')}"),
        ("runs on", f"TensorFlow Lite {report.runtime} and later, and LiteRT 2"),
        ("evaluation", "none" if verdict is None else str(verdict)),
        *(() if exported.confidence is None else (("confidence", str(exported.confidence)),)),
        *(("weak, since", sentence)
          for sentence in (() if verdict is None else verdict.weaknesses))), has_header=False)
