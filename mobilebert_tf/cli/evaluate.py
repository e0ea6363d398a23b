"""`mobilebert evaluate`: the dev scores of a model, an exported file, or answers in a file."""

from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.checks import LEAST_LENGTH
from mobilebert_tf.cli import output, scores, tasks
from mobilebert_tf.cli.models import ModelsOption
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.counted import counted
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

ModelArgument = Annotated[str | None, typer.Argument(
    help="Model directory, a .keras file, a .tflite that export wrote, its package, or the short "
         "name of a model that mobilebert models lists.")]
LengthOption = Annotated[int | None, typer.Option(
    min=LEAST_LENGTH, help="The most tokens of a sequence; by default the length of the "
                           "fine-tuning, or the task's. A file has its own.")]
NullThresholdOption = Annotated[float | None, typer.Option(
    help="squad_v2: null odds above which a question has no answer; by default the threshold that "
         "fine-tuning on squad_v2 picked, else 0. The score best_f1_thresh is the best threshold "
         "for this dev set.")]
PredictionsOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="Also write the answers, as JSON with an entry per example.")]
PredictionsFromOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="Score the answers in this file, in place of a model: JSON as "
                         "--predictions writes it, for questions the official {id: text}; or .tsv "
                         "with index and prediction, as GLUE's site takes it.")]
TrainOption = Annotated[list[Path] | None, typer.Option(
    "--train", metavar="FILE", help="With --predictions-from: a training file, so that answers may "
                                    "also have labels that only it has; may be given several "
                                    "times. By default those in --data.")]
NBestOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="Questions: also write the best spans of each, as run_squad does. The "
                         "probabilities of these spans add up to 1.")]
NullOddsOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="squad_v2: also write the odds of no answer, in which the official scorer "
                         "looks for the best threshold.")]
NullOddsFromOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="squad_v2, with --predictions-from: the odds of no answer by the "
                         "question's id, the official scorer's --na-prob-file. The default "
                         "threshold is 0, for differences of scores. For probabilities add "
                         "--null-threshold 1, the official scorer's default.")]
ConfusionOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="Classification: draw which classes are taken for which, as PNG. --json "
                         "has the counts.")]
SubmissionOption = Annotated[Path | None, typer.Option(
    metavar="DIRECTORY", help="Also answer the test set in --data, and write the file that GLUE's "
                              "site takes.")]
ThreadsOption = Annotated[int | None, typer.Option(
    min=1, help=f"Threads for a file; by default {_THREADS}.")]


def run(
    task: tasks.TaskOption,
    model: ModelArgument = None,
    data: tasks.DataOption = None,
    dev: tasks.DevOption = None,
    text: tasks.TextOption = None,
    second_text: tasks.SecondTextOption = None,
    label: tasks.LabelOption = None,
    train: TrainOption = None,
    length: LengthOption = None,
    null_threshold: NullThresholdOption = None,
    predictions: PredictionsOption = None,
    predictions_from: PredictionsFromOption = None,
    n_best: NBestOption = None,
    null_odds: NullOddsOption = None,
    null_odds_from: NullOddsFromOption = None,
    confusion: ConfusionOption = None,
    submission: SubmissionOption = None,
    threads: ThreadsOption = None,
    models: ModelsOption = None,
    json: output.JsonOption = None,
):
    """Score a model, or answers in a file, on the dev set of a task."""
    from mobilebert_tf.inference import evaluate as evaluation
    from mobilebert_tf.inference import shipped
    from mobilebert_tf.inference.opening import task_for
    from mobilebert_tf.tasks import catalogue

    if (model is None) == (predictions_from is None):
        raise InputError("give either MODEL or --predictions-from: what is to be scored")
    if model is not None and train:
        raise InputError("--train names the labels of answers: leave it out where a model has its "
                         "own")
    if model is not None:
        model = shipped.resolve(model, models)
    columns = catalogue.columns(text, label, second_text)
    kind = (catalogue.of(task, columns) if model is None
            else task_for(model, task, columns)).kind
    _check_kind(task, kind, {"--n-best": n_best, "--null-odds": null_odds,
                             "--null-odds-from": null_odds_from,
                             "--null-threshold": null_threshold}, confusion)
    _check_source(model, {"--length": length, "--predictions": predictions, "--n-best": n_best,
                          "--null-odds": null_odds, "--submission": submission,
                          "--threads": threads}, null_odds_from)
    test = None if submission is None else _read_test(task, data)
    settings = {} if null_threshold is None else {"null_threshold": null_threshold}
    files = {"data": data, "dev": dev, "text": text, "label": label, "second_text": second_text}
    found = (evaluation.score_answers(predictions_from, task, null_odds=null_odds_from,
                                      settings=settings, train=train or (),
                                      **files) if model is None else
             evaluation.evaluate(model, task, length=length, threads=threads or _THREADS,
                                 settings=settings,
                                 track=track, **files))
    _show(found)
    # Before what is drawn and run beside it.
    output.write_json(json, {**found.to_json(), **tasks.left_out(found.left_out)})
    _write(found, predictions, {"n_best": n_best, "null_odds": null_odds}, confusion)
    if test is not None:
        from mobilebert_tf.tasks import submitting

        file = submitting.submit(found.task, found.runner, test, submission, track)
        output.results.print(f"submission in {file}", soft_wrap=True)


def _show(found):
    if found.missing and found.runner is None:
        output.progress.print(f"{found.missing:,} of {len(found.answers):,} examples have no "
                              f"answer in {found.source} and count as wrong", soft_wrap=True)
    tasks.say_left_out(found.left_out)
    output.results.print(f"{found.source}: {found.task.name} on "
                         f"{counted(len(found.examples), 'example')} of {found.data}",
                         soft_wrap=True)
    scores.show(found.scores, found.parts)


def _write(found, predictions, reports, confusion):
    if predictions is not None:
        output.write_json(predictions, found.readable)
    for name, path in reports.items():
        if path is not None:
            output.write_json(path, found.report(name))
    if confusion is not None:
        from mobilebert_tf.evaluation import confusion_picture

        confusion_picture.check(found.task.kind.labels)
        confusion_picture.draw(found.confusion, confusion)
        output.results.print(f"confusion in {confusion}", soft_wrap=True)


def _check_kind(task, kind, reports, confusion):
    """Raise InputError for an option that another kind of task has."""
    if confusion is not None and not kind.has_one_class:
        raise InputError(f"--confusion is for one class a text, and the task {task} is {kind.name}")
    if confusion is not None and kind.labels is not None:
        from mobilebert_tf.evaluation import confusion_picture

        confusion_picture.check(kind.labels)
    for option, value in reports.items():
        needed = "n_best" if option == "--n-best" else "null_odds"
        if value is not None and needed not in kind.reports:
            what = "questions" if needed == "n_best" else "questions without an answer"
            raise InputError(f"{option} is for {what}, and the task {task} has none")


def _check_source(model, of_model, null_odds_from):
    """Raise InputError for an option that means nothing for what is scored."""
    if model is not None:
        if null_odds_from is not None:
            raise InputError("--null-odds-from goes with --predictions-from: a model has its own")
        return
    for option, value in of_model.items():
        if value is not None:
            raise InputError(f"{option} is for a model, and --predictions-from names a file of "
                             "answers")


def _read_test(task, data):
    from mobilebert_tf.tasks import catalogue

    if data is None:
        raise InputError("--submission answers the test set in the task's directory: name it with "
                         "--data")
    return catalogue.read_test(task, data)
