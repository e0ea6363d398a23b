"""Compare: presets, recipes, lengths, files and peers in one interleaved run on this machine."""

import dataclasses
import gc
import importlib.metadata
import os
import platform
import tempfile
from collections.abc import Callable
from datetime import datetime, timezone
from itertools import product
from pathlib import Path

from mobilebert_tf import __version__
from mobilebert_tf.errors import InputError
from mobilebert_tf.export import recipes
from mobilebert_tf.export.benchmark import host, litert_model, onnx_model, peers
from mobilebert_tf.export.benchmark.plan import DEFAULT_BASELINE, Plan
from mobilebert_tf.export.benchmark.record import BenchmarkRecord
from mobilebert_tf.export.benchmark.wording import counted
from mobilebert_tf.export.file import metadata
from mobilebert_tf.files import write_atomically


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What came of a plan: a `BenchmarkRecord` each, and why others are not among them."""

    records: list[BenchmarkRecord]
    not_measured: dict[str, str]
    baseline: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Subject:
    path: Path
    length: int | None
    name: str
    preset: str | None = None
    task: str | None
    recipe: str | None
    random_weights: bool | None = True
    made_with: dict = dataclasses.field(default_factory=dict)


def compare(plan: Plan, progress: Callable[[str], None] = lambda message: None,
            on_round: Callable[[int, int], None] = lambda done, of: None) -> Comparison:
    """Makes what the plan names and measures all of it side by side.

    Args:
      progress: is told what is being done.
      on_round: is told after each round how many runs are done, and of how many.

    Raises:
      InputError: for a file that its runtime cannot run.
    """
    # Files first: what is wrong with them should not wait for the exports.
    given = [subject for file in plan.files for subject in _given(Path(file), plan.lengths)]
    with tempfile.TemporaryDirectory(prefix="mobilebert-benchmark-") as directory:
        made, not_measured = _exported(plan, Path(directory), progress), {}
        if plan.with_peers:
            others, not_measured = _peers(plan, Path(directory), progress)
            made += others
        subjects = made + given
        if not subjects:
            raise InputError("nothing to benchmark: " + "; ".join(
                f"{name}: {reason}" for name, reason in not_measured.items()))
        baseline = _baseline(plan, [one.name for one in subjects], not_measured)
        progress(f"Measuring {counted(len(subjects), 'model')} in turn on "
                 f"{counted(plan.threads, 'thread')}, {counted(plan.runs, 'run')} each ...")
        measured = host.measure([(one.path, one.length) for one in subjects], plan.threads,
                                plan.runs, on_round)
        common = {"num_threads": plan.threads, "machine": machine(), "command": plan.command,
                  "date": datetime.now(timezone.utc).isoformat(timespec="seconds")}
        records = [_record(*pair, common) for pair in zip(subjects, measured, strict=True)]
    return Comparison(records, not_measured, baseline)


def machine() -> str:
    """This machine in a line: processor, cores, system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _baseline(plan, names, not_measured):
    if plan.baseline is None:
        return DEFAULT_BASELINE if DEFAULT_BASELINE in names else names[0]
    if plan.baseline not in names:
        raise InputError(f"the baseline {plan.baseline} is not measured: "
                         + "; ".join(not_measured.values()))
    return plan.baseline


def _exported(plan, directory, progress):
    if not plan.presets:
        return []
    # TensorFlow, only where there is something to export.
    from mobilebert_tf.export.benchmark import random_weights
    from mobilebert_tf.export.file.convert import to_tflite

    subjects = []
    count = len(plan.presets) * len(plan.recipes) * len(plan.lengths)
    for name in plan.presets:
        model = random_weights.MODELS[plan.task](name)
        for recipe, length in product(plan.recipes, plan.lengths):
            progress(f"Exporting {len(subjects) + 1} of {count}: {name} with random weights, "
                     f"{recipe}, length {length} ...")
            calibration = ({"calibration": random_weights.calibration(name, length)}
                           if recipes.get(recipe).calibrated else {})
            path = directory / f"{name}_{plan.task}_{recipe}_seq{length}.tflite"
            write_atomically(path, to_tflite(model, recipe, (length,), **calibration).model)
            gc.collect()  # graphs are cycles, and of BERT-base gigabytes
            subjects.append(_Subject(
                path=path, length=length, name=name, preset=name, task=plan.task, recipe=recipe,
                made_with={"tensorflow": importlib.metadata.version("tensorflow")}))
    return subjects


def _peers(plan, directory, progress):
    subjects, not_measured = [], {}
    for peer in peers.PEERS:
        if reason := peer.missing():
            not_measured[peer.name] = reason
            continue
        for length in plan.lengths:
            progress(f"Exporting {peer.name} with random weights, {peer.recipe}, length {length} "
                     "...")
            path = directory / f"{peer.name}_{plan.task}_seq{length}{peer.suffix}"
            try:
                peers.export(peer, plan.task, length, path)
            except InputError as error:
                not_measured[f"{peer.name}, length {length}"] = str(error)
                continue
            subjects.append(_Subject(
                path=path, length=length, name=peer.name, task=plan.task, recipe=peer.recipe,
                made_with=peer.versions()))
    return subjects, not_measured


def _given(path, wanted):
    """What is to be measured of a file that was given."""
    task = recipe = None
    if path.suffix == ".onnx":
        lengths = [None]
    else:
        held = litert_model.lengths(path)
        lengths = [length for length in held if length in wanted] or [held[-1]]
        try:
            own = metadata.read(path)
            task, recipe = own.task, own.recipe
        except InputError:
            pass  # somebody else's
    return [_Subject(path=path, length=length, name=path.stem, task=task, recipe=recipe,
                     random_weights=None) for length in lengths]


def _record(subject, measured, common):
    runtime = onnx_model.PACKAGE if subject.path.suffix == ".onnx" else litert_model.PACKAGE
    versions = {"mobilebert-tf": __version__, runtime: importlib.metadata.version(runtime)}
    return BenchmarkRecord(
        model=subject.path.name, signature=measured.signature, latency=measured.latency,
        input_bytes=measured.input_bytes, name=subject.name, preset=subject.preset,
        task=subject.task, recipe=subject.recipe, random_weights=subject.random_weights,
        peak_memory_mb=measured.peak_memory_mb, length=measured.length,
        bytes=subject.path.stat().st_size, versions=versions | subject.made_with, **common)
