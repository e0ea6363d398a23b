"""Compare presets, recipes, lengths, files and peers in one interleaved run on this machine."""

import dataclasses
import tempfile
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf import __version__, machine
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark import host, runtimes, subjects
from mobilebert_tf.export.benchmark.plan import DEFAULT_BASELINE, Plan
from mobilebert_tf.export.benchmark.record import BenchmarkRecord


@dataclasses.dataclass(frozen=True)
class Measurements:
    """The result of a plan.

    Args:
      records: a `BenchmarkRecord` for each measured file and length.
      not_measured: why others were not measured, by name.
      baseline: the name that ratios refer to.
    """

    records: list[BenchmarkRecord]
    not_measured: dict[str, str]
    baseline: str


def compare(plan: Plan, say: Callable[[str], None] = lambda message: None,
            on_round: Callable[[int, int], None] = lambda done, of: None) -> Measurements:
    """Export what the plan names, and measure all of it side by side.

    Args:
      say: receives a sentence before each step.
      on_round: receives the runs done and the runs of each model, after each round.

    Raises:
      InputError: for a file that its runtime cannot run.
    """
    # Files come first: a wrong one should not have to wait for the exports.
    given = [subject for file, name in zip(plan.files, plan.file_names, strict=True)
             for subject in subjects.of_file(Path(file), name, plan.lengths)]
    with tempfile.TemporaryDirectory(prefix="mobilebert-benchmark-") as directory:
        measured, not_measured = subjects.exported(plan, Path(directory), say), {}
        if plan.with_peers:
            others, not_measured = subjects.of_peers(plan, Path(directory), say)
            measured += others
        measured += given
        if not measured:
            raise InputError("nothing to benchmark: " + "; ".join(
                f"{name}: {reason}" for name, reason in not_measured.items()))
        baseline = _baseline(plan, [one.name for one in measured], not_measured)
        say("Measuring in turn ...")
        measurements = host.measure([(one.path, one.length) for one in measured], plan.threads,
                                    plan.runs, on_round)
        records = records_of(measured, measurements, plan)
    return Measurements(records, not_measured, baseline)


def _baseline(plan, names, not_measured):
    if plan.baseline is None:
        return DEFAULT_BASELINE if DEFAULT_BASELINE in names else names[0]
    if plan.baseline not in names:
        raise InputError(f"the baseline {plan.baseline} is not measured: "
                         + "; ".join(not_measured.values()))
    return plan.baseline


def records_of(measured, measurements, plan) -> list[BenchmarkRecord]:
    """Return the records of subjects and their measurements, made now on this machine."""
    common = {"num_threads": plan.threads, "machine": machine.describe(), "command": plan.command,
              "date": machine.now()}
    return [_record(*pair, common) for pair in zip(measured, measurements, strict=True)]


def _record(subject, measured, common):
    opened_in = runtimes.of(subject.path)
    versions = {"mobilebert-tf": __version__, opened_in.runtime: opened_in.version()}
    return BenchmarkRecord(
        model=subject.path.name, signature=measured.signature, latency=measured.latency,
        input_bytes=measured.input_bytes, name=subject.name, preset=subject.preset,
        kind=subject.kind, recipe=subject.recipe, random_weights=subject.random_weights,
        peak_memory_mb=measured.peak_memory_mb, length=measured.length,
        bytes=subject.path.stat().st_size, versions=versions | subject.made_with, **common)
