"""Exporting a model directory: to a .tflite file that was compared with the model."""

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf import files, model_directory
from mobilebert_tf.checks import check_lengths, check_path
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes
from mobilebert_tf.export.confidence import Confidence
from mobilebert_tf.export.failed_gate import FailedGate
from mobilebert_tf.export.file.export_report import ExportReport
from mobilebert_tf.export.gate import Gate
from mobilebert_tf.export.gate_report import GateReport
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running import run as running
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task import Task, left_out_of
from mobilebert_tf.tasks.task_data import TaskData
from mobilebert_tf.terminal.waiting import waiting
from mobilebert_tf.text.vocabulary import Vocabulary


@dataclasses.dataclass(frozen=True, kw_only=True)
class Exported:
    """What `export_model` made.

    Args:
      file: the path of the .tflite file.
      report: what was exported, and how near it is to the Keras model.
      verdict: the comparison on the task's dev set; None without one.
      sha256: of the file's content.
      has_vocabulary: whether the file carries its vocabulary, without which it cannot predict.
      confidence: what calibration changed; None if it was left out.
    """

    file: Path
    report: ExportReport
    verdict: GateReport | None
    sha256: str
    has_vocabulary: bool
    confidence: Confidence | None = None

    def to_json(self) -> dict:
        """Return the content of the report beside the file."""
        return {"sha256": self.sha256, **self.report.to_dict(),
                "gate": None if self.verdict is None else self.verdict.to_dict(),
                "confidence": self.confidence and dataclasses.asdict(self.confidence)}


def export_model(model: str | os.PathLike, output: str | os.PathLike, *,
                 recipe: str = "dynamic_int8", lengths: Sequence[int] | None = None,
                 task: str | None = None, data: str | os.PathLike | None = None,
                 train: Sequence[str | os.PathLike] = (), dev: str | os.PathLike | None = None,
                 text: str | None = None, label: str | None = None,
                 second_text: str | None = None, vocab: str | os.PathLike | None = None,
                 gated: bool = True, keep_failing: bool = False, calibrate: bool = False,
                 track: running.Track = running.untracked,
                 say_left_out: Callable[[Sequence[LeftOut]], None] = lambda rows: None) -> Exported:
    """Export a model directory, and compare the file with the model on its task's dev set.

    The report goes beside the file, as .report.json; both are written, or none.

    Args:
      model: a model directory, or a Hugging Face directory.
      output: the .tflite file to write.
      recipe: a name in `RECIPES`.
      lengths: the sequence lengths of the file; None for the length of the fine-tuning, else the
        kind's.
      task: the model's task, if its directory does not name it.
      data: the directory with the task's files; or tfds:glue/sst2 and the like.
      train, dev: files instead of the directory's; calibrated recipes learn ranges from `train`.
      text, label, second_text: the columns of your own table.
      vocab: a vocabulary file, if the directory has none.
      gated: whether the file is compared with the model.
      keep_failing: whether a file that loses more than its recipe may is written all the same.
      calibrate: whether the logits are divided by a temperature that is fitted on half of the dev
        set; see `calibrator.Calibrator`. The file is compared with the calibrated model.
      track: shows the progress of the comparison; see `running.run.run`.
      say_left_out: takes the rows of the dev file that are left out, before the comparison.
    Raises:
      FailedGate: if the file loses more points of the metric than its recipe may. The file is not
        written, unless `keep_failing`.
      InputError: for anything wrong with the arguments, the model or the files.

    Example:
      >>> exported = mb.export_model(  # doctest: +SKIP
      ...     "runs/sst2", "sst2.tflite", recipe="int8", data="glue/SST-2")
    """
    check_path(model=model, output=output)
    if lengths is not None:
        check_lengths(lengths)
    output = Path(output)
    _check_arguments(output, recipe, gated, keep_failing)
    from mobilebert_tf.export.calibrator import Calibrator
    from mobilebert_tf.export.file import calibration

    with waiting(f"Loading {model}"):
        contents = load(model, task, catalogue.columns(text, label, second_text), vocab)
    described = task_data(contents, data, train, dev, model)
    lengths = default_lengths(contents) if lengths is None else tuple(lengths)
    calibrator = Calibrator(contents, described, model, max(lengths), track) if calibrate else None
    contents = contents if calibrator is None else calibrator.contents
    gate = _gate(contents, model, described, track, say_left_out) if gated else None
    if gate is None:
        _require_no_gate(recipe)
    with waiting(f"Exporting {model} with {recipe}"):
        result = calibration.calibrated(contents, recipe, lengths, described)
    verdict = gate and gate.evaluate(result.model)
    is_finite = verdict is None or not verdict.not_finite
    exported = Exported(file=output, report=result.report, verdict=verdict,
                        sha256=hashlib.sha256(result.model).hexdigest(),
                        has_vocabulary=contents.vocabulary is not None,
                        confidence=(calibrator.confidence_of(result.model)
                                    if calibrator and is_finite else None))
    return _written(exported, result.model, keep_failing)


def _check_arguments(output, recipe, gated, keep_failing):
    """Raise InputError for wrong arguments before the seconds that loading a model takes."""
    if recipes.get(recipe).needs_gate and not gated:
        raise InputError(f"{recipe} is offered only if the file passes its comparison with the "
                         "model: do not leave the comparison out")
    if keep_failing and not gated:
        raise InputError("keep_failing is about a comparison, which is left out")
    for path in (output, _report_of(output)):
        if path.is_dir():
            raise InputError(f"cannot write {path}: there is a directory of that name")
    if files.is_stream(output):
        raise InputError(f"a report goes beside the file, and {output} is no file: name one")


def _require_no_gate(recipe):
    if recipes.get(recipe).needs_gate:
        raise InputError(f"{recipe} is offered only if the file passes its comparison with the "
                         "model: give the task's data, and the task if the directory does not name "
                         "it")


def default_lengths(contents: ModelDirectory) -> tuple[int, ...]:
    """Return the length of the fine-tuning; else the kind's, or the model's positions."""
    if contents.length is not None:
        return (contents.length,)
    return (min(contents.kind.length, contents.model.config.max_positions),)


def load(directory: str | os.PathLike, task: str | None, columns: dict[str, str] | None,
         vocab: str | os.PathLike | None) -> ModelDirectory:
    """Load a model directory, with the task and the vocabulary that the user names.

    With the task come its labels, for a classifier that has none, and the head of its kind, if the
    model was not fine-tuned and the kind needs none that is trained.

    Args:
      directory: of the model.
      task: the task's name; None for the one in the directory.
      columns: of the task's tables; for those that are not named, the ones in the directory.
      vocab: a vocabulary file; None for the one in the directory.
    Raises:
      InputError: for a model that was fine-tuned on another task, columns without a task, a column
        of second texts if the model was fine-tuned on single ones, and a vocabulary of another
        size than the model's.
    """
    check_columns(task, columns)
    vocabulary = None if vocab is None else Vocabulary.load(vocab)
    contents = model_directory.load(directory)
    if task is not None:
        if contents.task not in (None, task):
            raise InputError(f"{directory} was fine-tuned on {contents.task}, not on {task}")
        wanted = catalogue.of(
            task, catalogue.in_place_of(contents.columns, columns, directory), contents.labels)
        contents = _for_task(contents, wanted)
    if vocabulary is not None:
        model_directory.check_vocabulary(vocabulary, contents.model.config, directory)
        contents = dataclasses.replace(contents, vocabulary=vocabulary)
    return contents


def check_columns(task: str | None, columns: dict[str, str] | None) -> None:
    """Raise InputError for columns without the task whose tables have them."""
    if columns and task is None:
        raise InputError("text, label and second_text name columns of a table of your own: name "
                         "the task too")


def task_data(contents: ModelDirectory, data: str | os.PathLike | None,
              train: Sequence[str | os.PathLike], dev: str | os.PathLike | None,
              directory: str | os.PathLike,
              test: str | os.PathLike | None = None) -> TaskData | None:
    """Return the model's task with its files; None if no files are named.

    Raises:
      InputError: for files without a task, or training files without a dev set.
    """
    if data is None and dev is None:
        if train:
            raise InputError("training files go with a dev file or a data directory: nothing says "
                             "what the dev set is")
        return None
    if contents.task is None:
        raise InputError(f"{directory} does not name its task: name the task whose files are in "
                         f"{data or dev}")
    task = catalogue.of(contents.task, contents.columns, contents.labels)
    return catalogue.data(task, data, train, dev, test)


def _for_task(contents: ModelDirectory, task: Task) -> ModelDirectory:
    model, kind = contents.model, contents.kind
    if not kind.is_fine_tuned:
        model = task.kind.adapted(model, contents.embedding_pooler)
        kind = kind if model is contents.model else task.kind
    if kind.has_labels and kind.labels is None and task.labels is not None and (
            model.num_classes == len(task.labels)):
        kind = kind.bound(task.labels, kind.settings)
    return dataclasses.replace(contents, model=model, kind=kind, task=task.name,
                               columns=task.columns)


def _gate(contents, directory, data, track, say_left_out):
    """The gate of the model's task; None for a model of no task, which no dev set is for."""
    if data is not None:
        gate = Gate(contents, data, directory, track)
        say_left_out(left_out_of(gate.examples))
        return gate
    if contents.task is not None:
        raise InputError(f"{directory} is a model for {contents.task}: name the task's data, so "
                         "that the file is compared with the model on the dev set, or leave the "
                         "comparison out")
    return None


def _report_of(file):
    return file.with_suffix(".report.json")


def _written(exported, content, keep_failing):
    """Write the file with its report, both or none; raise FailedGate if it did not pass."""
    passed = exported.verdict is None or exported.verdict.passed
    if passed or keep_failing:
        # The report first: no file stands without one.
        with files.written_atomically(_report_of(exported.file), exported.file) as (
                report_beside, file_beside):
            report_beside.write_bytes(json.dumps(
                {"file": exported.file.name, **exported.to_json()}, indent=2,
                allow_nan=False).encode() + b"\n")
            file_beside.write_bytes(content)
    if not passed:
        raise FailedGate(exported.verdict, exported, is_written=keep_failing)
    return exported
