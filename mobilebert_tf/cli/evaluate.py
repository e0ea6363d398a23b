"""`mobilebert evaluate`: the dev scores of a model, an exported file, or another's answers."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from mobilebert_tf.cli import output, scores, tasks
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.progress import track

EXAMPLES = """[bold]Examples[/bold]

mobilebert evaluate runs/sst2 --task sst2 --data glue/SST-2

mobilebert evaluate sst2.tflite --task sst2 --data glue/SST-2 --json score.json

mobilebert evaluate runs/sst2 --task sst2 --data glue/SST-2 --submission glue-submission

mobilebert evaluate squad.tflite --task squad --dev dev-v1.1.json --predictions answers.json

mobilebert evaluate all-MiniLM-L6-v2 --task similarity --data glue/STS-B

mobilebert evaluate runs/mails --task classification --data mails --confusion confusion.png

mobilebert evaluate --predictions-from predictions.json --task squad --dev dev-v1.1.json"""

_THREADS = 2


def run(
    task: tasks.TaskOption,
    model: Annotated[Path | None, typer.Argument(
        help="Model directory, a .keras file, or a .tflite that export wrote.")] = None,
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
    predictions_from: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Score the answers in this file, in place of a model: JSON as "
                             "--predictions writes it, for questions the official {id: text}; or "
                             ".tsv with index and prediction, as GLUE's site takes it.")] = None,
    n_best: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Questions: write the best spans of each too, as run_squad does. "
                             "Their probabilities are among these spans alone.",
    )] = None,
    null_odds: Annotated[Path | None, typer.Option(
        metavar="FILE", help="squad_v2: write the odds of no answer too, in which the official "
                             "scorer looks for the best threshold.")] = None,
    null_odds_from: Annotated[Path | None, typer.Option(
        metavar="FILE", help="squad_v2, with --predictions-from: the odds of no answer by the "
                             "question's id, the official scorer's --na-prob-file.")] = None,
    confusion: Annotated[Path | None, typer.Option(
        metavar="FILE", help="Classification: draw which classes are taken for which, as PNG. "
                             "--json has the counts.")] = None,
    submission: Annotated[Path | None, typer.Option(
        metavar="DIRECTORY", help="Answer the test set in --data too, and write there the file "
                                  "that GLUE's site takes.")] = None,
    threads: Annotated[int | None, typer.Option(
        min=1, help=f"Threads for a file; by default {_THREADS}.")] = None,
    json: output.JsonOption = None,
):
    """Score a model, or answers that are there already, on the dev set of a task."""
    from mobilebert_tf.tasks import catalogue, submitting

    options = tasks.options(text, text_pair, label)
    if (model is None) == (predictions_from is None):
        raise InputError("give either MODEL or --predictions-from: what is to be scored")
    described = (catalogue.of(task, options) if model is None
                 else tasks.described(model, task, options))
    _check_kind(described, n_best, confusion, {
        "--null-odds": null_odds, "--null-odds-from": null_odds_from,
        "--null-threshold": null_threshold})
    _check_source(model, {
        "--length": length, "--threads": threads, "--predictions": predictions,
        "--n-best": n_best, "--null-odds": null_odds, "--submission": submission},
        null_odds_from, null_threshold)
    files = catalogue.data(described, data, dev_file=dev)
    test = None if submission is None else _read_test(task, data)
    scored = (_answers_of_file(described, files, predictions_from, null_odds_from, null_threshold)
              if model is None else
              _answers_of_model(described, files.dev_file, model, length or tasks.trained_length(
                  model, task) or described.length, threads or _THREADS, null_threshold))
    described, examples, answers, found = scored[:4]
    left_out = described.left_out(examples)
    tasks.say_left_out(left_out)
    output.results.print(f"{model or predictions_from}: {task} on {len(examples)} examples of "
                         f"{files.dev_file}", soft_wrap=True)
    parts = described.score_parts(answers, examples)
    confused = described.confusion(answers, examples)
    scores.show(found, parts)
    if predictions is not None:
        output.write_json(predictions, described.readable(answers, examples))
    if n_best is not None:
        output.write_json(n_best, described.n_best(answers))
    if null_odds is not None:
        output.write_json(null_odds, described.null_odds(answers))
    if confusion is not None:
        _draw(confused, confusion)
    if test is not None:
        file = submitting.submit(described, scored.runner, test, submission, track)
        output.results.print(f"submission in {file}", soft_wrap=True)
    source = ({"predictions_from": str(predictions_from)} if model is None
              else {"model": str(model)})
    output.write_json(json, {
        **source, "task": task, "data": str(files.dev_file), "examples": len(examples),
        **tasks.left_out(left_out),
        "metric": next(name for name in described.metrics_to_choose_by if name in found), **found,
        **({"parts": parts} if parts else {}),
        **({} if confused is None else {"confusion": confused.to_dict()})})


class _Scored(NamedTuple):
    """A task's examples with their answers and scores; the runner where a model gave them."""

    task: object
    examples: Sequence
    answers: list
    scores: dict
    runner: object = None


def _answers_of_model(task, path, model, length, threads, null_threshold):
    from mobilebert_tf.running import run as running

    # Before the seconds that loading a model takes, unless only the model says what labels mean.
    readable = task.labels is not None or not task.has_labels
    examples = task.read(path) if readable else None
    runner = tasks.open_runner(model, length, threads, task.kind)
    task.check(runner.kind, runner.labels, model)
    task = _with_threshold(task.with_settings(runner.question_answering), null_threshold)
    if examples is None:
        task = task.with_labels(runner.labels)
        examples = task.read(path)
    features = task.features(examples, runner.tokenizer, runner.length)
    found = running.run(task, runner, examples, features, track)
    return _Scored(task, examples, found.answers, found.scores, runner)


def _answers_of_file(task, files, path, null_odds, null_threshold):
    task = _with_threshold(task.found_for_scoring([*files.train_files, files.dev_file]),
                           null_threshold)
    examples = task.read(files.dev_file)
    answers = (task.written_answers(path, examples) if null_odds is None
               else task.with_written_odds(path, null_odds, examples))
    missing = sum(answer is None for answer in answers)
    if missing:
        output.progress.print(f"{missing:,} of {len(answers):,} examples have no answer in {path} "
                              "and count as wrong", soft_wrap=True)
    return _Scored(task, examples, answers, task.score(answers, examples))


def _with_threshold(task, null_threshold):
    return (task if null_threshold is None else task.with_settings(
        dataclasses.replace(task.settings, null_threshold=null_threshold)))


def _draw(confused, path):
    from mobilebert_tf.evaluation import confusion_picture

    confusion_picture.draw(confused, path)
    output.results.print(f"confusion in {path}", soft_wrap=True)


def _check_kind(task, n_best, confusion, of_null):
    """InputError for an option that another kind of task has."""
    if n_best is not None and task.kind != "question_answering":
        raise InputError(f"--n-best is for questions, and the task {task.name} has none")
    if confusion is not None and task.kind != "classification":
        raise InputError(f"--confusion is for one class a text, and the task {task.name} is "
                         f"{task.kind}")
    for option, value in of_null.items():
        if value is not None and not getattr(task, "with_null", False):
            raise InputError(f"{option} is for questions without an answer, and the task "
                             f"{task.name} has none")


def _check_source(model, of_model, null_odds_from, null_threshold):
    """InputError for an option that means nothing for what is scored."""
    if model is not None:
        if null_odds_from is not None:
            raise InputError("--null-odds-from goes with --predictions-from: a model has its own")
        return
    for option, value in of_model.items():
        if value is not None:
            raise InputError(f"{option} is for a model, and --predictions-from names a file of "
                             "answers")
    if null_threshold is not None and null_odds_from is None:
        raise InputError("--null-threshold needs null odds: name their file with --null-odds-from")


def _read_test(task, data):
    from mobilebert_tf.tasks import catalogue

    if data is None:
        raise InputError("--submission answers the test set in the task's directory: name it with "
                         "--data")
    return catalogue.read_test(task, data)
