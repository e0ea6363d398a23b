"""Subject: a file that passed its gate, to be measured."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import msgspec

from mobilebert_tf import files, records
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.export_model import export_model
from mobilebert_tf.export.failed_gate import FailedGate
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.export.recorded_gate import RecordedGate


@dataclasses.dataclass(frozen=True, kw_only=True)
class GatedFile:
    """A file that passed its gate.

    Args:
      source: what the user named: a model directory, or the file.
      file: the path of the file.
      recipe: how it was exported.
      lengths: tokens of its signatures, ascending.
      task: whose dev set the gate read.
      metric, score: of the gate.
      bytes: size of the file.
    """

    source: Path
    file: Path
    recipe: str
    lengths: tuple[int, ...]
    task: str
    metric: str
    score: float
    bytes: int


class _Report(msgspec.Struct):
    """What the report beside a file says of it."""

    sha256: str
    gate: RecordedGate | None = None


def of_file(file: Path) -> tuple[GatedFile | None, str]:
    """Return a file's subject, and why there is none.

    The gate's verdict is in the report beside the file, or in the model.json of its package.

    Raises:
      InputError: for a file that this project did not export, and a damaged report.
    """
    known = metadata.read(file)
    digest = files.sha256(file)
    gate = next((one.gate for one in _reports(file) if one.sha256 == digest), None)
    if gate is None:
        return None, ("no report of a gate is beside it: export it again with its task's data, or "
                      "name its model directory")
    if not gate.passed:
        return None, f"it did not pass its gate, with {gate.metric} {gate.file_score:.4f}"
    return GatedFile(source=file, file=file, recipe=known.recipe, lengths=known.lengths,
                   task=gate.task, metric=gate.metric, score=gate.file_score,
                   bytes=file.stat().st_size), ""


def exported(model: Path, recipe: str, place: Path, say: Callable[[str], None],
             **arguments) -> tuple[GatedFile | None, str]:
    """Export a model directory; return its subject, and why there is none.

    Args:
      model: the directory.
      recipe: of the export.
      place: a directory for the file.
      say: receives a sentence before the export.
      arguments: of `export_model`, the task's data among them.
    Raises:
      InputError: as `export_model` does.
    """
    say(f"Exporting {model} with {recipe}, and comparing the file with the model ...")
    file = place / f"{recipe}.tflite"
    try:
        made = export_model(model, file, recipe=recipe, **arguments)
    except FailedGate as failure:
        return None, str(failure)
    if made.verdict is None:
        raise InputError(f"{model} names no task whose dev set could tell what a file loses: name "
                         "the task and its data")
    return GatedFile(source=model, file=file, recipe=recipe, lengths=made.report.lengths,
                   task=made.verdict.task, metric=made.verdict.metric,
                   score=made.verdict.file_score, bytes=made.report.bytes), ""


def _reports(file: Path):
    """What records the file's gate: reports, or entries of a package, with `sha256` and `gate`."""
    report = file.with_suffix(".report.json")
    if report.exists():
        return [records.read(report, _Report)]
    if package_directory.is_package(file.parent):
        return package_directory.read(file.parent).files
    return []
