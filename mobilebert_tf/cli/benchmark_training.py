"""`mobilebert benchmark-training`: the speed of training steps, side by side on this machine."""

import json as json_module
import os
import shlex
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import machine
from mobilebert_tf.cli import output
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.progress import Progress

EXAMPLES = """[bold]Examples[/bold]

mobilebert benchmark-training --student mobilebert_mini --teacher all-MiniLM-L6-v2

mobilebert benchmark-training --student mobilebert --peers --output out

mobilebert benchmark-training --student mobilebert --teacher ib_bert_large --depths 6,12,24 --corpus corpus"""  # noqa: E501


def run(
    student: Annotated[str, typer.Option(
        help="Preset, for random weights, or a model or Hugging Face directory.")] = "mobilebert",
    teacher: Annotated[str | None, typer.Option(
        help="The same; with it, the stages of progressive transfer are measured.")] = None,
    pretrain: Annotated[str | None, typer.Option(
        help="The same, whose pre-training is measured instead of the student's.")] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Sequences a step.")] = 8,
    length: Annotated[int, typer.Option(min=4, help="Tokens of each, all real.")] = 128,
    rounds: Annotated[int, typer.Option(
        min=1, help="Rounds in which every step has its turn, of two steps that count.")] = 10,
    depths: Annotated[str | None, typer.Option(
        help="Which stages, by the blocks that they compute, by commas; all of up to 8, else the "
             "quarters.")] = None,
    corpus: Annotated[Path | None, typer.Option(
        help="Directory that `mobilebert corpus` made, for the input pipeline; without it, one of "
             "random tokens.")] = None,
    bfloat16: Annotated[bool, typer.Option(
        "--bfloat16", help="Measure pre-training in mixed_bfloat16 too.")] = False,
    peers: Annotated[bool, typer.Option(
        "--peers", help="Measure transformers' MobileBERT in PyTorch too.")] = False,
    peer_python: Annotated[Path | None, typer.Option(
        help="A Python that has torch and transformers, where this one has not; implies --peers.",
    )] = None,
    threads: Annotated[int | None, typer.Option(
        min=1, help="Threads of both; where not given, the cores there are.")] = None,
    directory: Annotated[Path | None, typer.Option(
        "--output", help="Directory for training_speed.json and training_speed.md.")] = None,
    json: output.JsonOption = None,
):
    """Measure training: stages, input pipeline and PyTorch take turns in one run; medians."""
    from mobilebert_tf.training.speed.plan import SpeedPlan

    plan = SpeedPlan(
        student=student, teacher=teacher, pretrained=pretrain, batch_size=batch_size,
        length=length, rounds=rounds, depths=_numbers(depths), corpus=corpus,
        precisions=("float32", "mixed_bfloat16") if bfloat16 else ("float32",),
        peers=peers or peer_python is not None, peer_python=peer_python,
        threads=threads or _cores())
    from mobilebert_tf.training.speed import measure as speed

    if threads is not None:
        speed.set_threads(threads)
    with Progress("Measuring", rounds, "rounds", "building models and graphs",
                  console=output.progress) as progress:
        facts = speed.measure(
            plan, say=lambda message: output.progress.print(message),
            on_round=lambda done, of: progress.update(done))
    facts |= {"machine": machine.describe(),
              "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
              "command": shlex.join(["mobilebert", *sys.argv[1:]])}
    _show(facts, directory)
    output.write_json(json, facts)


def _show(facts, directory):
    from mobilebert_tf.files import write_atomically
    from mobilebert_tf.training.speed import report as speed_report

    tables = speed_report.tables(facts)
    notes = speed_report.notes(facts)
    for table in tables:
        output.results.print(table)
    for note in notes:
        output.results.print(note)
    if directory is None:
        return
    text = "\n".join(["# Training speed", "", "Made by:", "", "```", facts["command"], "```", "",
                      *(table.markdown() for table in tables), *(f"- {note}" for note in notes),
                      ""])
    write_atomically(directory / "training_speed.json",
                     json_module.dumps(facts, indent=2).encode() + b"\n")
    write_atomically(directory / "training_speed.md", text.encode())
    output.progress.print(f"Written to {directory}: training_speed.json and .md")


def _cores():
    """What TensorFlow takes by itself."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1)


def _numbers(text):
    if text is None:
        return None
    try:
        return tuple(int(name) for name in text.split(","))
    except ValueError:
        raise InputError("depths should be whole numbers by commas, as 6,12,24. "
                         f"Received: {text}") from None
