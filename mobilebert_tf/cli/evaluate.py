"""`mobilebert evaluate`: the dev score of a model directory or of an exported file."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import rich.progress
import typer

from mobilebert_tf.cli import output, startup
from mobilebert_tf.data import glue
from mobilebert_tf.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

mobilebert evaluate runs/sst2 --task sst2 --data glue/SST-2

mobilebert evaluate sst2.tflite --task sst2 --data glue/SST-2 --json score.json"""


def run(
    model: Annotated[Path, typer.Argument(help="Model directory, or a .tflite that export wrote.")],
    task: Annotated[str, typer.Option(help=f"The task: {' or '.join(glue.TASKS)}.")],
    data: Annotated[Path, typer.Option(help="Directory with the task's dev.tsv.")],
    length: Annotated[int, typer.Option(
        min=4, help="Longest sequence, in tokens; a file has its own.")] = 128,
    threads: Annotated[int, typer.Option(min=1, help="Threads for a file.")] = 2,
    json: output.JsonOption = None,
):
    """Score a model on the dev set of a task."""
    from mobilebert_tf.evaluation import metrics, running
    from mobilebert_tf.text.packing import encode_batch

    described, metric = glue.task(task), metrics.of(task)
    examples = glue.read(data / described.dev_file, described)
    tokenizer, run_batch, length, width_for = (
        _open_file(model, task, threads) if model.is_file() else _open_model(model, task, length))
    inputs = encode_batch(tokenizer, list(examples.texts), length=length)
    outputs = running.outputs(run_batch, inputs, width_for, track)
    value = metric.score(outputs["probabilities"].argmax(axis=-1), examples.labels)
    output.results.print(f"{model}: {task} dev {metric.name} {value:.4f} on "
                         f"{len(examples.labels)} examples")
    output.write_json(json, {"model": str(model), "task": task, "examples": len(examples.labels),
                             metric.name: value})


def track(batches: list, description: str = "Running") -> Iterable:
    """Gives the batches one by one, under a progress bar."""
    return rich.progress.track(batches, description, console=output.progress)


def _open_file(path, task, threads):
    """Tokenizer, what runs a batch, the longest sequence, and the width for some tokens."""
    from mobilebert_tf.evaluation import labels
    from mobilebert_tf.export.runner import Runner

    runner = Runner(path, threads)
    _check_kind(runner.metadata.task, path)
    labels.check(runner.metadata.labels, task, path)
    return runner.tokenizer, runner, runner.metadata.length, runner.metadata.length_for


def _open_model(path, task, length):
    """The same of a model directory, where every sequence is padded to `length`."""
    startup.tensorflow()
    from mobilebert_tf import model_directory
    from mobilebert_tf.evaluation import labels
    from mobilebert_tf.export import heads
    from mobilebert_tf.export.gate import keras_runner
    from mobilebert_tf.text.tokenizer import Tokenizer

    contents = model_directory.load(path)
    _check_kind(heads.of(contents.model).task, path)
    labels.check(contents.labels, task, path)
    if contents.vocabulary is None:
        raise InputError(f"{path} has no vocab.txt")
    tokenizer = Tokenizer(contents.vocabulary, contents.lower_case)
    return tokenizer, keras_runner(contents.model), length, lambda tokens: length


def _check_kind(kind, path):
    if kind != "classification":
        raise InputError(f"{path} is for {kind}, and cannot be scored on a classification task")
