"""`mobilebert benchmark-training`: the speed of training steps, side by side on this machine."""

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import freed_memory, machine
from mobilebert_tf.cli import comma_lists, output
from mobilebert_tf.terminal.progress import Progress
from mobilebert_tf.training.speed.plan import SpeedPlan

EXAMPLES = """[bold]Examples[/bold]

mobilebert benchmark-training --student mobilebert_mini --teacher all-MiniLM-L6-v2

mobilebert benchmark-training --student mobilebert --peers --output out

mobilebert benchmark-training --student mobilebert --teacher ib_bert_large --depths 6,12,24 --corpus corpus"""  # noqa: E501


def run(
    student: Annotated[str, typer.Option(
        help="Preset, for random weights, or a model or Hugging Face directory.")] = "mobilebert",
    teacher: Annotated[str | None, typer.Option(
        help="The same. With a teacher, the stages of progressive transfer are measured.")] = None,
    pretrain: Annotated[str | None, typer.Option(
        help="The same. Its pre-training is measured instead of the student's.")] = None,
    batch_size: Annotated[int, typer.Option(
        min=1, help="Sequences per step.")] = SpeedPlan.batch_size,
    length: Annotated[int, typer.Option(
        min=4, help="Tokens per sequence, all of them real.")] = SpeedPlan.length,
    rounds: Annotated[int, typer.Option(
        min=1, help="Rounds; in each, two steps of every kind are measured.",
    )] = SpeedPlan.rounds,
    depths: Annotated[str | None, typer.Option(
        help="Which stages, by the number of blocks that they compute, such as 6,12,24. Default: "
             "all, or four if the student has more than 8 blocks.")] = None,
    corpus: Annotated[Path | None, typer.Option(
        help="Directory that `mobilebert corpus` made, for the input pipeline. Default: a corpus "
             "of random tokens.")] = None,
    bfloat16: Annotated[bool, typer.Option(
        "--bfloat16", help="Measure pre-training in mixed_bfloat16 too.")] = False,
    peers: Annotated[bool, typer.Option(
        "--peers", help="Measure transformers' MobileBERT in PyTorch too.")] = SpeedPlan.peers,
    peer_python: Annotated[Path | None, typer.Option(
        help="A Python with torch and transformers, if this one has none; implies --peers.",
    )] = None,
    threads: Annotated[int | None, typer.Option(
        min=1, help="Threads of both programs. Default: TF_NUM_INTRAOP_THREADS, or the number of "
                    "cores.")] = None,
    directory: Annotated[Path | None, typer.Option(
        "--output", help="Directory for training_speed.json and training_speed.md.")] = None,
    json: output.JsonOption = None,
):
    """Measure the speed of training: stages, input pipeline and PyTorch, in turn in one run."""
    freed_memory.keep()  # as the commands that train
    plan = SpeedPlan(
        student=student, teacher=teacher, pretrained=pretrain, batch_size=batch_size,
        length=length, rounds=rounds, depths=comma_lists.numbers(depths, "--depths"), corpus=corpus,
        precisions=("float32", "mixed_bfloat16") if bfloat16 else ("float32",),
        peers=peers or peer_python is not None, peer_python=peer_python,
        threads=threads or _threads())
    from mobilebert_tf.training.speed import measure, report

    if threads is not None:
        measure.set_threads(threads)
    with Progress("Measuring", rounds, "rounds", "building models and graphs",
                  console=output.progress) as progress:
        facts = measure.measure(plan, say=output.progress.print,
                                on_round=lambda done, of: progress.update(done))
    facts |= {"machine": machine.describe(), "date": machine.now(),
              "command": shlex.join(["mobilebert", *sys.argv[1:]])}
    for line in (*report.tables(facts), *report.notes(facts)):
        output.results.print(line)
    if directory is not None:
        report.write(facts, directory)
        output.progress.print(f"Written to {directory}: training_speed.json and .md")
    output.write_json(json, facts)


def _threads():
    """How many threads TensorFlow takes by itself."""
    given = os.environ.get("TF_NUM_INTRAOP_THREADS", "")
    return int(given) if given.isdecimal() and int(given) else machine.usable_cores()
