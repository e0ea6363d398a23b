"""`mobilebert evaluate`: the dev scores of a model directory or of an exported file."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, tasks
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.progress import track

EXAMPLES = """[bold]Examples[/bold]

mobilebert evaluate runs/sst2 --task sst2 --data glue/SST-2

mobilebert evaluate sst2.tflite --task sst2 --data glue/SST-2 --json score.json

mobilebert evaluate runs/sst2 --task sst2 --data glue/SST-2 --submission glue-submission

mobilebert evaluate squad.tflite --task squad --dev dev-v1.1.json --predictions answers.json

mobilebert evaluate all-MiniLM-L6-v2 --task similarity --data glue/STS-B"""


def run(
    model: Annotated[Path, typer.Argument(
        help="Model directory, a .keras file, or a .tflite that export wrote.")],
    task: tasks.TaskOption,
    data: tasks.DataOption = None,
    dev: tasks.DevOption = None,
    text: tasks.TextOption = None,
    text_pair: tasks.PairOption = None,
    label: tasks.LabelOption = None,
    length: Annotated[int | None, typer.Option(
        min=4, help="The most tokens of a sequence; by default what the model was fine-tuned "
                    "with, or the task's. A file has its own.")] = None,
    null_threshold: Annotated[float | None, typer.Option(
        help="squad_v2: null odds above which a question has no answer; by default those that were "
             "best when the model was fine-tuned on squad_v2, else 0. The score best_f1_thresh "
             "says what would be best here.")] = None,
    predictions: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Write the answers too: as JSON, one entry an example.")] = None,
    n_best: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Questions: write the best spans of each too, as run_squad does.",
    )] = None,
    null_odds: Annotated[Path | None, typer.Option(
        metavar="FILE", help="squad_v2: write the odds of no answer too, in which the official "
                             "scorer looks for the best threshold.")] = None,
    submission: Annotated[Path | None, typer.Option(
        metavar="DIRECTORY", help="Answer the test set in --data too, and write there the file "
                                  "that GLUE's site takes.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads for a file.")] = 2,
    json: output.JsonOption = None,
):
    """Score a model on the dev set of a task."""
    from mobilebert_tf.tasks import catalogue, running, submitting

    described = tasks.described(model, task, tasks.options(text, text_pair, label))
    _check_options(described, n_best, null_odds, null_threshold)
    path = catalogue.data(described, data, dev_file=dev).dev_file
    test = None if submission is None else _read_test(task, data)
    # Before the seconds that loading a model takes, unless only the model says what labels mean.
    readable = described.labels is not None or not described.has_labels
    examples = described.read(path) if readable else None
    length = length or tasks.trained_length(model, task) or described.length
    runner = tasks.open_runner(model, length, threads, described.kind)
    described.check(runner.kind, runner.labels, model)
    if null_threshold is None and runner.kind == "question_answering":
        null_threshold = runner.null_threshold
    if null_threshold is not None:
        described = dataclasses.replace(described, null_threshold=null_threshold)
    if examples is None:
        described = described.with_labels(runner.labels)
        examples = described.read(path)
    features = described.features(examples, runner.tokenizer, runner.length)
    found = running.run(described, runner, examples, features, track)
    tasks.say_left_out(described, examples, [path])
    output.results.print(f"{model}: {task} on {len(examples)} examples of {path}", soft_wrap=True)
    for name, score in found.scores.items():
        output.results.print(f"  {_told(name, score)}")
    parts = described.score_parts(found.answers, examples)
    for name, scores in parts.items():
        told = ", ".join(_told(*score) for score in scores.items())
        output.results.print(f"  {name}: {told}", markup=False)
    output.write_json(predictions, described.readable(found.answers, examples))
    if n_best is not None:
        output.write_json(n_best, described.n_best(found.answers))
    if null_odds is not None:
        output.write_json(null_odds, described.null_odds(found.answers))
    if test is not None:
        file = submitting.submit(described, runner, test, submission, track)
        output.results.print(f"submission in {file}", soft_wrap=True)
    output.write_json(json, {"model": str(model), "task": task, "data": str(path),
                             "examples": len(examples),
                             "left_out": described.left_out(examples),
                             "metric": described.metric, **found.scores,
                             **({"parts": parts} if parts else {})})


def _told(name, score):
    """Counts are whole numbers."""
    return f"{name} {score}" if isinstance(score, int) else f"{name} {score:.4f}"


def _check_options(task, n_best, null_odds, null_threshold):
    """InputError for an option that another kind of task has."""
    if n_best is not None and task.kind != "question_answering":
        raise InputError(f"--n-best is for questions, and the task {task.name} has none")
    for option, value in (("--null-odds", null_odds), ("--null-threshold", null_threshold)):
        if value is not None and not getattr(task, "with_null", False):
            raise InputError(f"{option} is for questions without an answer, and the task "
                             f"{task.name} has none")


def _read_test(task, data):
    from mobilebert_tf.tasks import catalogue

    if data is None:
        raise InputError("--submission answers the test set in the task's directory: name it with "
                         "--data")
    return catalogue.read_test(task, data)
