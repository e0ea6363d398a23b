"""Subjects: the files that a plan measures: exported presets, peers and given files."""

import dataclasses
import gc
import hashlib
import importlib.metadata
import os
from itertools import product
from pathlib import Path

from mobilebert_tf import __version__, presets
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes
from mobilebert_tf.export.benchmark import peers, runtimes
from mobilebert_tf.export.file import metadata
from mobilebert_tf.files import write_atomically


@dataclasses.dataclass(frozen=True, kw_only=True)
class MeasuredFile:
    """One file to measure, at one length; the fields are those of `BenchmarkRecord`.

    Args:
      path: of the file.
      length: tokens.
      made_with: versions of the packages that made the file.
    """

    path: Path
    length: int
    name: str
    preset: str | None = None
    kind: str | None
    recipe: str | None
    random_weights: bool | None = True
    made_with: dict = dataclasses.field(default_factory=dict)


def of_file(path: Path, name: str, wanted) -> list[MeasuredFile]:
    """Return what is measured of a file: its lengths among those wanted, or its longest."""
    kind, recipe, made_with = None, None, {}
    held = runtimes.of(path).lengths(path)
    lengths = [length for length in held if length in wanted] or [held[-1]]
    try:
        own = metadata.read(path)
        kind, recipe, made_with = own.kind.name, own.recipe, {"mobilebert-tf": own.version}
    except InputError:
        pass  # not exported by this project
    return [MeasuredFile(path=path, length=length, name=name, kind=kind, recipe=recipe,
                         random_weights=None, made_with=made_with) for length in lengths]


def exported(plan, directory: Path, say) -> list[MeasuredFile]:
    """Export the plan's presets, by every recipe at every length, with random weights.

    Files that the directory holds are kept if they are of the preset's present config and this
    version of the package. Of them it is not known which TensorFlow made them.
    """
    subjects = []
    count = len(plan.presets) * len(plan.recipes) * len(plan.lengths)
    for name in plan.presets:
        model = None
        for recipe, length in product(plan.recipes, plan.lengths):
            path = file(directory, name, plan.kind, recipe, length)
            what = f"{len(subjects) + 1} of {count}: {name} with random weights, {recipe}, length "
            made_with = {}
            if is_made(path, name):
                say(f"Kept {what}{length}.")
            else:
                say(f"Exporting {what}{length} ...")
                model = model or _random_model(plan.kind, name)
                _export(model, name, recipe, length, path)
                made_with = {"tensorflow": importlib.metadata.version("tensorflow")}
            subjects.append(MeasuredFile(
                path=path, length=length, name=name, preset=name, kind=plan.kind, recipe=recipe,
                made_with=made_with))
    return subjects


def file(directory: Path, preset: str, kind: str, recipe: str, length: int) -> Path:
    """Return where `exported` writes a preset."""
    # A config of the user's has a path for a name, which must not lead out of the directory.
    name = preset if preset in presets.names() else (
        f"{Path(preset).stem}_{hashlib.sha256(os.path.abspath(preset).encode()).hexdigest()[:8]}")
    return directory / f"{name}_{kind}_{recipe}_seq{length}.tflite"


def is_made(path: Path, preset: str) -> bool:
    """Return whether there is a file of the preset's present config, made by this version."""
    try:
        found = metadata.read(path)
        return (found.config, found.version) == (presets.get(preset), __version__)
    except InputError:
        return False  # there is no such file


def _random_model(kind, name):
    # TensorFlow is imported only if there is something to export.
    from mobilebert_tf.export.benchmark import random_weights

    return random_weights.MODELS[kind](name)


def _export(model, name, recipe, length, path):
    from mobilebert_tf.export.benchmark import random_weights
    from mobilebert_tf.export.file.convert import to_tflite

    calibration = ({"calibration": random_weights.calibration(name, length)}
                   if recipes.get(recipe).calibrated else {})
    write_atomically(path, to_tflite(model, recipe, (length,), **calibration).model)
    gc.collect()  # graphs are cycles, and those of BERT-base take gigabytes


def of_peers(plan, directory: Path, say) -> tuple[list[MeasuredFile], dict[str, str]]:
    """Export MobileBERT by the peers; return the subjects, and why others are missing, by name."""
    subjects, not_measured = [], {}
    for peer in peers.PEERS:
        if reason := peer.missing():
            not_measured[peer.name] = reason
            continue
        for length in plan.lengths:
            say(f"Exporting {peer.name} with random weights, {peer.recipe}, length {length} ...")
            path = directory / f"{peer.name}_{plan.kind}_seq{length}{peer.suffix}"
            try:
                peers.export(peer, plan.kind, length, path)
            except InputError as error:
                not_measured[f"{peer.name}, length {length}"] = str(error)
                continue
            subjects.append(MeasuredFile(
                path=path, length=length, name=peer.name, kind=plan.kind, recipe=peer.recipe,
                made_with=peer.versions()))
    return subjects, not_measured
