"""`mobilebert evaluate`: the dev scores of a model directory or of an exported file."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, tasks

EXAMPLES = """[bold]Examples[/bold]

mobilebert evaluate runs/sst2 --task sst2 --data glue/SST-2

mobilebert evaluate sst2.tflite --task sst2 --data glue/SST-2 --json score.json

mobilebert evaluate squad.tflite --task squad --dev dev-v1.1.json --predictions answers.json

mobilebert evaluate all-MiniLM-L6-v2 --task similarity --data glue/STS-B"""


def run(
    model: Annotated[Path, typer.Argument(
        help="Model directory, .keras file, or a .tflite that export wrote.")],
    task: tasks.TaskOption,
    data: tasks.DataOption = None,
    dev: tasks.DevOption = None,
    text: tasks.TextOption = None,
    text_pair: tasks.PairOption = None,
    label: tasks.LabelOption = None,
    length: Annotated[int | None, typer.Option(
        min=4, help="The most tokens of a sequence; by default the task's. A file has its own."),
    ] = None,
    predictions: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Write the answers too: as JSON, one entry an example.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads for a file.")] = 2,
    json: output.JsonOption = None,
):
    """Score a model on the dev set of a task."""
    from mobilebert_tf.tasks import catalogue, running

    described = catalogue.of(task, tasks.options(text, text_pair, label))
    path = catalogue.data(described, data, dev_file=dev).dev_file
    runner = tasks.open_runner(model, length or described.length, threads, described.kind)
    described.check(runner.kind, runner.labels, model)
    described = described.with_labels(described.labels or runner.labels)
    examples = described.read(path)
    features = described.features(examples, runner.tokenizer, runner.length)
    found = running.run(described, runner, examples, features, tasks.track)
    output.results.print(f"{model}: {task} on {len(examples)} examples of {path}", soft_wrap=True)
    for name, score in found.scores.items():
        output.results.print(f"  {name} {score:.4f}")
    if predictions is not None:
        output.write_json(predictions, described.readable(found.answers, examples))
    output.write_json(json, {"model": str(model), "task": task, "data": str(path),
                             "examples": len(examples), "metric": described.metric,
                             **found.scores})
