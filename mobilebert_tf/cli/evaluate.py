"""`mobilebert evaluate`: the dev score of a model directory or of an exported file."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.progress import track

from mobilebert_tf.cli import output, startup
from mobilebert_tf.data import glue
from mobilebert_tf.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

mobilebert evaluate runs/sst2 --task sst2 --data glue/SST-2

mobilebert evaluate sst2.tflite --task sst2 --data glue/SST-2 --json score.json"""


def run(
    model: Annotated[Path, typer.Argument(help="Model directory, or a .tflite that export wrote.")],
    task: Annotated[str, typer.Option(help="The task: sst2.")],
    data: Annotated[Path, typer.Option(help="Directory with the task's dev.tsv.")],
    length: Annotated[int, typer.Option(
        min=4, help="Longest sequence, in tokens; a file has its own.")] = 128,
    threads: Annotated[int, typer.Option(min=1, help="Threads for a file.")] = 2,
    json: output.JsonOption = None,
):
    """Score a model on the dev set of a task."""
    from mobilebert_tf.evaluation.classification import accuracy

    described = glue.task(task)
    examples = glue.read(data / described.dev_file, described)
    scores = (_file_scores(model, examples, described, threads) if model.is_file()
              else _model_scores(model, examples, described, length))
    value = accuracy(scores.argmax(axis=-1), examples.labels)
    output.results.print(f"{model}: {task} dev accuracy {value:.4f} on {len(examples.labels)} "
                         "examples")
    output.write_json(json, {"model": str(model), "task": task, "examples": len(examples.labels),
                             "accuracy": value})


def _file_scores(path, examples, task, threads):
    from mobilebert_tf.export.runner import Runner
    from mobilebert_tf.text.packing import encode_batch

    runner = Runner(path, threads)
    if runner.metadata.labels != task.labels:
        raise InputError(f"{path} has the labels {runner.metadata.labels}, the task has "
                         f"{task.labels}")
    inputs = encode_batch(runner.tokenizer, examples.texts, length=runner.metadata.length)
    rows = []
    for row in track(range(len(examples.texts)), "Running", console=output.progress):
        length = runner.metadata.length_for(int(inputs["input_mask"][row].sum()))
        rows.append(runner({name: values[row:row + 1, :length]
                            for name, values in inputs.items()}))
    return np.concatenate([row["probabilities"] for row in rows])


def _model_scores(path, examples, task, length):
    startup.tensorflow()
    from mobilebert_tf import model_directory
    from mobilebert_tf.models.classifier import Classifier
    from mobilebert_tf.text.packing import encode_batch
    from mobilebert_tf.text.tokenizer import Tokenizer

    contents = model_directory.load(path)
    if not isinstance(contents.model, Classifier) or contents.labels != task.labels:
        raise InputError(f"{path} is not a classifier with the labels {task.labels}")
    if contents.vocabulary is None:
        raise InputError(f"{path} has no vocab.txt")
    tokenizer = Tokenizer(contents.vocabulary, contents.lower_case)
    inputs = encode_batch(tokenizer, examples.texts, length=length)
    return contents.model.predict(inputs, batch_size=32, verbose=0)
