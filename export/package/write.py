"""Writing a package, every file of which is evaluated.

Equal inputs give equal bytes: there are no dates, and no paths but the names of directories.
"""

import dataclasses
import os
import platform
import re
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from mobilebert_tf import records
from mobilebert_tf.checks import check_text
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes
from mobilebert_tf.export.calibrator import Calibrator
from mobilebert_tf.export.confidence import Confidence
from mobilebert_tf.export.file import calibration, metadata
from mobilebert_tf.export.file.export_result import ExportResult
from mobilebert_tf.export.gate import Gate
from mobilebert_tf.export.gate_report import GateReport
from mobilebert_tf.export.held_out_scores import HeldOutScores
from mobilebert_tf.export.package import app_assets, card
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.export.package import facts as known_facts
from mobilebert_tf.files import sha256
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.tasks.task_data import TaskData
from mobilebert_tf.terminal.waiting import waiting
from mobilebert_tf.text.tokenizer import Tokenizer

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# Options for the columns of a table, by the names that tasks give the columns.
_COLUMNS = {"text": "--text", "second_text": "--second-text", "label": "--label"}
_HUB_ID = re.compile(rf"({_NAME.pattern}/)?{_NAME.pattern}")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Details:
    """What a package says about its model besides the measurements.

    Args:
      name: of the model; the files are called NAME_RECIPE.tflite.
      source: the model directory.
      data: the task with its files.
      vocab: the vocabulary file that the user named; None for the one in the directory.
      licence: of the weights, an identifier of the Hugging Face hub; None if the publisher states
        none.
      base_model: Hugging Face id of the checkpoint that was fine-tuned; None if unknown.
      samples: texts that a client offers to try the model with.
      trained_on: the data that the weights come from, with its terms, in words; None if that is not
        stated.
    Raises:
      InputError: for a blank sample; for a name, licence or id with other characters than letters,
        digits, ".", "_" and "-"; and for a text or a file's name that UTF-8 cannot hold.
    """

    name: str
    source: Path
    data: TaskData
    vocab: Path | None = None
    licence: str | None = None
    base_model: str | None = None
    samples: tuple[str, ...] = ()
    trained_on: str | None = None

    def __post_init__(self):
        for name in ("name", "licence", "base_model", "trained_on"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name))
        # The card would not be written, after the minutes that exports take.
        for text in (*self.samples, self.trained_on, *map(_name, (
                self.source, self.vocab, self.data.dev_file, self.data.test_file,
                *self.data.train_files))):
            if text is not None:
                records.check_characters("the card of a package", text, text)
        if not all(map(str.strip, self.samples)):
            raise InputError("a sample is blank: give a text that the model can be tried with")
        for value, pattern, what in ((self.name, _NAME, "name"), (self.licence, _NAME, "licence"),
                                     (self.base_model, _HUB_ID, "base model")):
            if value is not None and not pattern.fullmatch(value):
                raise InputError(f"the {what} {value!r} should be letters, digits, '.', '_' and "
                                 "'-' only")


def _name(path):
    return None if path is None else path.name


@dataclasses.dataclass(frozen=True, kw_only=True)
class _File:
    name: str
    result: ExportResult
    gate: GateReport
    tested: HeldOutScores | None
    confidence: Confidence | None

    def to_dict(self):
        gate = self.gate.to_dict()
        # More digits would differ between machines.
        gate["outputs"] = {
            name: {key: None if value is None else float(f"{value:.2g}")
                   for key, value in differences.items()}
            for name, differences in gate["outputs"].items()}
        return {**known_facts.of_file(self.name, self.result), "gate": gate,
                "test_score": None if self.tested is None else self.tested.file_score,
                "confidence": self.confidence and self.confidence.rounded()}


def write(directory: str | os.PathLike | None, contents: ModelDirectory, details: Details,
          recipe_names: tuple[str, ...], lengths: tuple[int, ...],
          track: Callable[[list, str], Iterable], say: Callable[[str], None] = print,
          assets: str | os.PathLike | None = None, calibrate: bool = False) -> dict:
    """Export a model with several recipes, and write the package if all files pass.

    The package holds NAME_RECIPE.tflite, vocab.txt, labels.txt if there are labels, model.json (all
    facts, for programs), README.md (the model card), NOTICE.txt (licences) and SHA256SUMS.

    Args:
      directory: the directory to write, replacing an earlier package; None for the app alone.
      contents: model, vocabulary and kind.
      details: see `Details`.
      recipe_names: names in `RECIPES`.
      lengths: as `to_tflite` takes them.
      track: shows the progress of an evaluation; see `Gate`.
      say: takes a line about what is being done.
      assets: of the Android app, which get the smallest of the files; see `app_assets.write`.
      calibrate: whether the logits are divided by a temperature; see `Calibrator`.
    Returns:
      the content of model.json.
    Raises:
      FailedGate: for the first file that loses more than its recipe may; nothing is written.
      InputError: for a directory with other files in it, a model that the Android core cannot run,
        and as the called functions do; nothing is written.
    """
    if directory is not None:
        package_directory.check_place(Path(directory))
    for recipe in recipe_names:  # all of them before minutes go into the first
        recipes.get(recipe)
    calibrator = None
    if calibrate:
        calibrator = Calibrator(contents, details.data, details.source, max(lengths), track)
        contents = calibrator.contents
    gate = Gate(contents, details.data, details.source, track)
    pairs = _takes_pairs(gate, contents)
    if assets is not None:
        app_assets.check(Path(assets), contents.kind.name, pairs)
    made = []
    for recipe in recipe_names:
        with waiting(f"Exporting with {recipe}"):
            result = calibration.calibrated(contents, recipe, lengths, details.data)
        made.append(_File(name=f"{details.name}_{recipe}.tflite", result=result,
                          gate=gate.require(result.model), tested=gate.test(result.model),
                          confidence=calibrator and calibrator.confidence_of(result.model)))
        say(str(made[-1].gate))
        for sentence in made[-1].gate.weaknesses:
            say(f"The comparison is weak: {sentence}")
    models = {file.name: file.result.model for file in made}
    texts, facts = _texts(contents, details, made, pairs)
    if directory is not None:
        package_directory.write(Path(directory), models | {
            name: text.encode() for name, text in texts.items()})
    if assets is not None:
        app_assets.write(Path(assets), facts, models.__getitem__)
    return facts


def _takes_pairs(gate, contents):
    """Whether the model reads two texts at once; the first example that has rows tells."""
    kind, tokenizer = gate.task.kind, Tokenizer(contents.vocabulary, contents.lower_case)
    for number in range(len(gate.examples)):
        features = kind.rows(kind.select(gate.examples, (number,)), tokenizer,
                             contents.model.config.max_positions)
        if len(features.ids):  # a context without tokens has no rows
            return any(first < len(ids) for first, ids in zip(
                features.first_lengths, features.ids, strict=True))
    return False


def _texts(contents, details, made, pairs):
    """The text files by name, and the content of model.json."""
    first, dev_file = made[0], details.data.dev_file
    of_model = known_facts.of_model(details.name, first.result)
    evaluated_on = _data_file(dev_file, first.gate.examples)
    training = _training(details.source, evaluated_on)
    settings = contents.kind.used_settings
    facts = {
        **of_model,
        "task": details.data.task.name,
        "pairs": pairs,
        # An app makes answers by these, so that it gets the scores that were measured.
        "settings": settings and settings.to_json(),
        "samples": list(details.samples),
        "files": [file.to_dict() for file in made],
        "evaluated_on": evaluated_on,
        "tested_on": None if first.tested is None else {
            **_data_file(details.data.test_file, first.tested.examples),
            "model_score": first.tested.model_score},
        "training": training,
        "parameters": contents.model.count_params(),
        "config": contents.model.config.to_dict(),
        "licence": details.licence,
        "base_model": details.base_model,
        "trained_on": details.trained_on,
        "versions": first.result.report.versions,
        "machine": f"{platform.system()} {platform.machine()}",
    }
    return {
        **metadata.word_files(metadata.read(first.result.model)),
        package_directory.DESCRIPTION: package_directory.to_json(facts),
        "README.md": card.model_card(facts, _command(details, facts)),
        "NOTICE.txt": card.notice(facts),
    }, facts


def _data_file(path, examples):
    """The file that scores were measured on; data from TFDS has no file, and so no digest."""
    dataset = catalogue.dataset(path)
    return {"file": dataset or path.name, "examples": examples,
            "sha256": None if dataset else sha256(path)}


class _Result(msgspec.Struct):
    scores: dict[str, int | float]
    scorings: records.Count | None = None
    history: dict[str, list[int | float]] = {}


class _Unlabelled(msgspec.Struct):
    files: list[records.Text]
    examples: records.Count


class _Stage(msgspec.Struct):
    name: records.Text
    steps: records.Count
    batch_size: records.Count
    learning_rate: float
    losses: dict[str, float]


class _Run(msgspec.Struct):
    """The fields of run.json that a card shows."""

    task: records.Text
    preset: records.Text | None
    checkpoint: records.Text | None
    settings: dict[str, str | int | float | bool | None]
    result: _Result
    teacher: records.Text | None = None
    unlabelled: _Unlabelled | None = None
    augment: records.Count = 0
    stages: list[_Stage] = []
    sha256: dict[str, str] = {}


def _training(source, evaluated_on):
    """What fine-tuning recorded in the model's directory; None if there is no record.

    `read_dev_set` is whether it read the file of `evaluated_on`, and so may have chosen by it; None
    if one of the two has no digest.
    """
    path = source / "run.json"
    if not path.exists():
        return None
    run = records.read(path, _Run)
    return {"task": run.task, "preset": run.preset, "settings": run.settings,
            "checkpoint": run.checkpoint and Path(run.checkpoint).name,
            "teacher": run.teacher and Path(run.teacher).name,
            "unlabelled": run.unlabelled and {
                "files": [Path(file).name for file in run.unlabelled.files],
                "examples": run.unlabelled.examples},
            "augment": run.augment,
            "stages": msgspec.to_builtins(run.stages),
            "scores": run.result.scores,
            "scorings": run.result.scorings or _epochs(run.result.history),
            "read_dev_set": (evaluated_on["sha256"] in run.sha256.values()
                             if run.sha256 and evaluated_on["sha256"] else None)}


def _epochs(history):
    """How many epochs a fine-tuning had, each of which was scored; None without a record."""
    return next(map(len, history.values()), None)


def _command(details, facts):
    data = details.data
    dataset = catalogue.dataset(data.dev_file)
    files = ([("--data", dataset)] if dataset else
             [*(("--train", path.name) for path in data.train_files),
              ("--dev", data.dev_file.name)])
    if data.test_file is not None:
        files.append(("--test", data.test_file.name))
    columns = data.task.columns or {}
    given = [*((option, columns.get(name)) for name, option in _COLUMNS.items()),
             ("--vocab", details.vocab and details.vocab.name),
             ("--licence", details.licence), ("--base-model", details.base_model),
             ("--trained-on", details.trained_on),
             *(("--sample", sample) for sample in details.samples)]
    return shlex.join([
        "mobilebert", "package", details.source.resolve().name, "--task", data.task.name,
        "--recipes", ",".join(file["recipe"] for file in facts["files"]),
        "--lengths", ",".join(map(str, facts["lengths"])),
        *(part for pair in files for part in pair),
        *(("--calibrate",) if facts["files"][0]["confidence"] else ()),
        "--output", details.name, "--name", details.name,
        *(part for option, value in given if value is not None for part in (option, value))])
