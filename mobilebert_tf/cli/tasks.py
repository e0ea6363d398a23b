"""What the commands that work on tasks share: options, and what they say which task it is."""

import collections
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, startup
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.waiting import waiting

# Lines that are named of a file.
_SHOWN = 8
HELP = ("cola, sst2, mrpc, stsb, qqp, mnli, mnli_mismatched (to evaluate), qnli, rte, wnli (GLUE), "
        "squad, squad_v2, tagging, similarity (of embeddings); classification or regression on a "
        "table of your own.")

TaskOption = Annotated[str, typer.Option("--task", help=HELP)]
DataOption = Annotated[Path | None, typer.Option(
    "--data", help="Directory with the task's files under their official names; of your own, "
                   "train and dev with .tsv, .csv or .jsonl; tfds:glue/sst2 and the like for "
                   "GLUE from tensorflow-datasets.")]
DevOption = Annotated[Path | None, typer.Option(
    "--dev", metavar="FILE", help="Dev file, instead of the one in --data.")]
TrainOption = Annotated[list[Path] | None, typer.Option(
    "--train", metavar="FILE", help="Training file, instead of the one in --data; may be given "
                                    "several times.")]
TextOption = Annotated[str | None, typer.Option(
    "--text", metavar="COLUMN", help="Column of the text, in a table of your own.")]
PairOption = Annotated[str | None, typer.Option(
    "--text-pair", metavar="COLUMN", help="Column of the second text, where there is one.")]
LabelOption = Annotated[str | None, typer.Option(
    "--label", metavar="COLUMN", help="Column of the class or the number.")]


def options(text: str | None, pair: str | None, label: str | None) -> dict | None:
    """The options of a task as `catalogue.of` takes them: those columns that were named."""
    named = {"text": text, "second_text": pair, "label": label}
    return {name: column for name, column in named.items() if column is not None} or None


def described(model: Path, name: str, given: dict | None):
    """The task of this name, for a model.

    A model of another kind, or with other labels, is refused here, before anything heavy is
    loaded: a file, and a directory that says what it was fine-tuned on.

    Args:
      model: the path.
      name: the task's.
      given: its options; by default those that the model was fine-tuned with on this task.
    """
    from mobilebert_tf import model_directory
    from mobilebert_tf.tasks import catalogue

    check_there(model)
    if _is_file(model):
        from mobilebert_tf.export.file import metadata

        found = metadata.read(model)
        task = catalogue.of(name, given, found.labels)
        task.check(found.task, found.labels, model)
        return task
    found = model_directory.description(model)
    options = found.get("options") if found.get("task") == name else None
    task = catalogue.of(name, given or options, found.get("labels"))
    # Of embeddings every model's encoder has some.
    if found.get("task") is not None and task.kind != "embedding":
        trained = catalogue.of(found["task"], found["options"], found["labels"])
        task.check(trained.kind, found["labels"], model)
    return task


def trained_length(model: Path, task: str | None = None) -> int | None:
    """The most tokens that a model directory's sequences had when it was fine-tuned.

    None for a file, which has its own, where that is not known, and for another task than `task`.
    """
    from mobilebert_tf import model_directory

    found = {} if _is_file(model) else model_directory.description(model)
    return found.get("length") if task in (None, found.get("task")) else None


def check_there(model: Path) -> None:
    if not model.exists():
        raise InputError(f"there is no model {model}")


def _is_file(model):
    return model.is_file() and model.suffix != ".keras"


def say_left_out(rows: Sequence[LeftOut]) -> None:
    """Says how many rows of each file were left out, which, and why."""
    found = collections.defaultdict(list)
    for row in rows:
        found[row.file, row.reason].append(row.line)
    for (file, reason), lines in found.items():
        plural = "s" * (len(lines) != 1)
        shown = ", ".join(map(str, lines[:_SHOWN])) + " and others" * (len(lines) > _SHOWN)
        output.progress.print(
            f"{len(lines):,} row{plural} of {file} left out: line{plural} {shown} "
            f"{'have' if plural else 'has'} {reason}", soft_wrap=True)


def left_out(rows: Sequence[LeftOut]) -> dict:
    """What a command's JSON says of them: their number, and the lines by file."""
    lines = collections.defaultdict(list)
    for row in rows:
        lines[row.file].append(row.line)
    return {"left_out": len(rows), "left_out_lines": lines}


def open_runner(model: Path, length: int, threads: int | None, kind: str | None = None):
    """A model directory, a .keras file or a .tflite, as something that runs batches.

    Args:
      model: the path.
      length: the most tokens of a row of a Keras model, where it has so many positions; a file
        has its own.
      threads: of a file's CPU kernels.
      kind: of the task. For embeddings a Keras model's encoder does, whatever stands on it.
    """
    check_there(model)
    if _is_file(model):
        from mobilebert_tf.export.file.runner import Runner

        return Runner(model, threads)
    startup.tensorflow()
    from mobilebert_tf import model_directory
    from mobilebert_tf.models.sentence_encoder import SentenceEncoder
    from mobilebert_tf.running.keras_runner import KerasRunner

    with waiting(f"Loading {model}"):
        contents = model_directory.load(model)
    if kind == "embedding":
        encoder = getattr(contents.model, "encoder", contents.model)
        contents = dataclasses.replace(contents, model=SentenceEncoder(encoder))
    return KerasRunner(contents, min(length, contents.model.config.max_positions), model)
