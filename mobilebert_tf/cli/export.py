"""`mobilebert export`: from a model directory to a .tflite file that was evaluated."""

import dataclasses
import hashlib
import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf import files
from mobilebert_tf.cli import output, startup, tasks
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.progress import track
from mobilebert_tf.terminal.table import Table
from mobilebert_tf.terminal.waiting import waiting

EXAMPLES = """[bold]Examples[/bold]

mobilebert export runs/sst2 --data glue/SST-2 --output sst2.tflite

mobilebert export runs/sst2 --data glue/SST-2 --recipe float32 --lengths 64 --output sst2_64.tflite

mobilebert export all-MiniLM-L6-v2 --output encoder.tflite

mobilebert export all-MiniLM-L6-v2 --task similarity --data glue/STS-B --output sentences.tflite

mobilebert export downloaded/sst2 --task sst2 --data glue/SST-2 --output sst2.tflite"""

LengthsOption = Annotated[str | None, typer.Option(
    help="Sequence lengths of the file's inputs, comma-separated; a signature for each. By default "
         "what the model was fine-tuned with; else 384 for question answering, and 128.")]
TaskOption = Annotated[str | None, typer.Option(
    help=f"The model's task, where its directory does not name it: {tasks.HELP}")]

VocabOption = Annotated[Path | None, typer.Option(
    metavar="FILE", help="Vocabulary, where the directory has none.")]


def run(
    model: Annotated[Path, typer.Argument(help="Model directory, as finetune writes it.")],
    file: Annotated[Path, typer.Option("--output", metavar="FILE", help="The .tflite to write; "
                                       "its report goes beside it, as .report.json.")],
    recipe: Annotated[str, typer.Option(
        help="What happens to the numbers: float32, dynamic_int8, ...")] = "dynamic_int8",
    lengths: LengthsOption = None,
    data: Annotated[Path | None, typer.Option(
        help="Directory of the task's files: the file is evaluated on the dev set; int8 recipes "
             "learn ranges from training texts.")] = None,
    train: tasks.TrainOption = None,
    dev: tasks.DevOption = None,
    task: TaskOption = None,
    text: tasks.TextOption = None,
    text_pair: tasks.PairOption = None,
    label: tasks.LabelOption = None,
    ungated: Annotated[bool, typer.Option(
        "--ungated", help="Write the file without evaluating it.")] = False,
    keep_failing: Annotated[bool, typer.Option(
        "--keep-failing", help="Write the file even when it loses more than its recipe may.",
    )] = False,
    vocab: VocabOption = None,
    json: output.JsonOption = None,
):
    """Export a model for LiteRT, and hold the file against the model on its task's dev set.

    A file that loses more points of the task's metric than its recipe may is not written, and the
    command exits with 1.
    """
    # Before the seconds that loading a model takes.
    from mobilebert_tf.export import recipes

    recipes.get(recipe)
    lengths = parse_lengths(lengths)
    if ungated and keep_failing:
        raise InputError("--keep-failing is about an evaluation, which --ungated leaves out")
    if file.is_dir():
        raise InputError(f"cannot write {file}: there is a directory of that name")
    startup.tensorflow()
    from mobilebert_tf.export.file import calibration

    with waiting(f"Loading {model}"):
        source = load(model, task, tasks.options(text, text_pair, label), vocab)
    described = task_data(source, data, train, dev, model)
    gate = None if ungated else _gate(source, model, described)
    if gate is None and recipes.get(recipe).needs_gate:
        raise InputError(f"{recipe} is offered only where the file passes its evaluation: give "
                         "--data, and --task where the directory does not name it")
    with waiting(f"Exporting {model} with {recipe}"):
        result = calibration.export(source, recipe, lengths or default_lengths(source), described)
    verdict = None if gate is None else gate.evaluate(result.model)
    passed = verdict is None or verdict.passed
    report = {"sha256": hashlib.sha256(result.model).hexdigest(), **result.report.to_dict(),
              "gate": None if verdict is None else verdict.to_dict()}
    if passed or keep_failing:
        _write(file, result.model, report)
    output.results.print(_table(file, result.report, verdict))
    _say_what_lacks(source, gate is not None or ungated, result.report.task)
    output.write_json(json, {"file": str(file), **report})
    if not passed:
        fail(f"{verdict}; {file} is "
             + ("written all the same" if keep_failing else "not written (--keep-failing does)"))


def _say_what_lacks(source, is_evaluated_as_asked, kind):
    if source.vocabulary is None:
        output.progress.print("The file carries no vocabulary, so predict cannot use it: "
                              "give one with --vocab.")
    if not is_evaluated_as_asked and kind not in ("encoding", "fill_mask"):
        output.progress.print("The file is not evaluated, since the directory does not name the "
                              "model's task: say with --task and --data.")


def fail(sentence: str) -> None:
    """Says why a gate failed, and exits with 1."""
    output.fail("Failed:", sentence)
    raise typer.Exit(1)


def parse_lengths(text: str | None) -> tuple[int, ...] | None:
    """The numbers in "64,128"; what lengths a model can have is not checked here."""
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"--lengths takes numbers with commas between them. Received: "
                         f"{text!r}") from error


def default_lengths(contents) -> tuple[int, ...]:
    """The length that the model was fine-tuned with; else its task's, or the model's positions."""
    from mobilebert_tf.models import heads

    if contents.length is not None:
        return (contents.length,)
    length = 384 if heads.of(contents.model).task == "question_answering" else 128
    return (min(length, contents.model.config.max_positions),)


def load(directory: Path, task: str | None, columns: dict | None, vocab: Path | None):
    """The `ModelDirectory` at a path, with the task and the vocabulary that the user names.

    With the task come its labels, for a classifier that has none; and for sentence embeddings, of
    an encoder or a pre-trained model, what these need above the encoder.

    Args:
      directory: of the model.
      task, vocab: in place of what the directory has; None to leave that.
      columns: of the task's tables, as `tasks.options` has them; by default the directory's.
    """
    from mobilebert_tf import model_directory
    from mobilebert_tf.tasks import catalogue
    from mobilebert_tf.text.vocabulary import Vocabulary

    check_columns(task, columns)
    vocabulary = None if vocab is None else Vocabulary.load(vocab)
    contents = model_directory.load(directory)
    if task is not None:
        if contents.task not in (None, task):
            raise InputError(f"{directory} was fine-tuned on {contents.task}, not on {task}")
        contents = _for_task(contents, catalogue.of(task, columns or contents.options,
                                                    contents.labels))
    if vocabulary is not None:
        contents = dataclasses.replace(contents, vocabulary=vocabulary)
    return contents


def check_columns(task: str | None, columns: dict | None) -> None:
    """InputError for columns without the task whose tables have them."""
    if columns and task is None:
        raise InputError("--text, --text-pair and --label name columns of a table of your own: "
                         "give --task classification or regression too")


def _for_task(contents, task):
    from mobilebert_tf.models import heads
    from mobilebert_tf.models.sentence_encoder import SentenceEncoder

    model = contents.model
    if task.kind == "embedding" and heads.of(model).task in ("encoding", "fill_mask"):
        model = SentenceEncoder(model.encoder)
    # Hugging Face directories may name classes of a model that has none.
    labels = contents.labels if task.has_labels else None
    if labels is None and task.labels is not None and getattr(
            model, "num_classes", None) == len(task.labels):
        labels = task.labels
    return dataclasses.replace(contents, model=model, labels=labels, task=task.name,
                               options=task.options)


def task_data(contents, data: Path | None, train: list[Path] | None, dev: Path | None,
              directory: Path, test: Path | None = None):
    """The model's task with its files, as `TaskData`; None where no files are named."""
    from mobilebert_tf.tasks import catalogue

    if data is None and dev is None:
        if train:
            raise InputError("--train goes with --dev or --data: nothing says what the dev set is")
        return None
    if contents.task is None:
        raise InputError(f"{directory} does not name its task: say with --task what the files in "
                         f"{data or dev} are")
    task = catalogue.of(contents.task, contents.options, contents.labels)
    return catalogue.data(task, data, train or (), dev, test)


def _gate(source, directory, data):
    """The gate of the model's task; None for a model of no task, where there is nothing to hold
    a file against but the sample that every export is compared on."""
    from mobilebert_tf.export.gate import Gate

    if data is not None:
        gate = Gate(source, data, directory, track)
        tasks.say_left_out(gate.task.left_out(gate.examples))
        return gate
    if source.task is not None:
        raise InputError(f"{directory} is a model for {source.task}: name the directory of the "
                         "task's files with --data, so that the file is evaluated on the dev set, "
                         "or leave that out with --ungated")
    return None


def _write(file, content, report):
    """Writes the file with its report, both or none: whole beside their places, then renamed."""
    report_file = file.with_suffix(".report.json")
    # The report first: no file stands without one.
    with files.written_atomically(report_file, file) as (report_beside, file_beside):
        report_beside.write_bytes(json_format.dumps(
            {"file": file.name, **report}, indent=2).encode() + b"\n")
        file_beside.write_bytes(content)


def _table(file, report, verdict):
    return Table(str(file), (Column("what", words=True), Column("found", words=True)), (
        ("task", report.task), ("recipe", report.recipe),
        ("lengths", ", ".join(map(str, report.lengths))),
        ("size", f"{report.bytes / 1e6:.2f} MB"),
        *((f"output {name}", f"{one.shape}, off the Keras model by at most "
                             f"{one.max_difference:.2g} ({one.max_relative_difference:.1g} "
                             "of its largest value)")
          for name, one in report.outputs.items()),
        ("graph", f"{report.nodes} nodes, {report.xnnpack_partitions} XNNPACK partition"
                  + "s" * (report.xnnpack_partitions != 1)),
        ("runs on", f"LiteRT or TensorFlow Lite {report.runtime} and later"),
        ("evaluation", "none" if verdict is None else str(verdict)),
        *(("weak, since", sentence)
          for sentence in (() if verdict is None else verdict.weaknesses))), has_header=False)
