"""Compare the systems of the field: exact counts, and our files measured in turn."""

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf import counting, machine, presets
from mobilebert_tf.checks import check_count, check_some, check_threads
from mobilebert_tf.export.benchmark import compare as benchmark
from mobilebert_tf.export.benchmark import host, subjects
from mobilebert_tf.export.benchmark.plan import Plan, default_threads
from mobilebert_tf.export.comparison import systems as field
from mobilebert_tf.export.comparison.compared_system import ComparedSystem
from mobilebert_tf.export.comparison.comparison import Comparison

# How many float32 copies of the weights an export holds: that of BERT-base was seen to take 4.4 GB,
# 10 copies.
_COPIES = 11


def compare(systems: Sequence[str] | None = None, *, length: int = 128,
            recipe: str = "dynamic_int8", threads: Sequence[int] | None = None, runs: int = 50,
            with_latency: bool = True, files: str | os.PathLike | None = None, command: str = "",
            say: Callable[[str], None] = lambda message: None,
            on_round: Callable[[int, int], None] = lambda done, of: None) -> Comparison:
    """Count and measure the systems of the field, each at its published size.

    Each architecture is exported once as a classifier with random weights, which is as fast and as
    large as a trained one. With each number of threads, the files are measured in turn. A system
    that takes more memory to export than the machine has is counted alone.

    Args:
      systems: names in `comparison.systems.SYSTEMS`; None for all.
      length: tokens of each input.
      recipe: an export recipe.
      threads: numbers of threads of the CPU kernels; None for the machine's cores, at most 4.
      runs: timed runs of each file.
      with_latency: whether the files are measured; their sizes are always told.
      files: a directory that keeps the files. Those that it holds of this version are not made
        again, so that a comparison that was stopped continues. None for a temporary one.
      command: for the report.
      say: receives a sentence before each step.
      on_round: receives the runs done and the runs of each file, after each round.
    Raises:
      InputError: for an unknown system or recipe, a length that a system cannot read, an empty
        list, and threads or runs that are out of range.

    Example:
      >>> comparison = mb.export.compare(["mobilebert", "bert_base"])  # doctest: +SKIP
    """
    threads = [default_threads()] if threads is None else threads
    check_some(threads=threads)
    if systems is not None:
        check_some(systems=systems)
    for count in threads:  # before the minutes that exports take
        check_threads(count)
    check_count(runs=runs)
    chosen, threads = field.chosen(systems), tuple(dict.fromkeys(map(int, threads)))
    plan = Plan(presets=tuple(dict.fromkeys(system.preset for system in chosen.values())),
                recipes=(recipe,), lengths=(length,), runs=runs, command=command)
    with _directory(files) as directory:
        not_made = {name: reason for name in plan.presets
                    if (reason := _too_large(name, plan, directory))}
        made = [name for name in plan.presets if name not in not_made]
        exported = subjects.exported(
            dataclasses.replace(plan, presets=made), directory, say) if made else []
        sizes = {subject.preset: subject.path.stat().st_size for subject in exported}
        records = {number: _measured(exported, dataclasses.replace(plan, threads=number), say,
                                     on_round) for number in threads if with_latency and exported}
    rows = [_row(name, system, length, sizes, records) for name, system in chosen.items()]
    return Comparison(rows, length, recipe, tuple(records), not_made, command)


def _too_large(preset, plan, directory):
    """Why a preset cannot be exported here; None if it can, or if its file is there."""
    path = subjects.file(directory, preset, plan.kind, plan.recipes[0], plan.lengths[0])
    available = machine.available_memory()
    needed = _COPIES * 4 * counting.parameters(presets.get(preset)).total
    if available is None or needed <= available or subjects.is_made(path, preset):
        return None
    return (f"its export takes about {needed / 1e9:.0f} GB of memory, and {available / 1e9:.0f} "
            "GB are free")


@contextlib.contextmanager
def _directory(files):
    if files is not None:
        yield Path(files)
        return
    with tempfile.TemporaryDirectory(prefix="mobilebert-compare-") as directory:
        yield Path(directory)


def _measured(exported, plan, say, on_round):
    """Preset -> `BenchmarkRecord`."""
    say(f"Measuring in turn, threads: {plan.threads} ...")
    measurements = host.measure([(one.path, one.length) for one in exported], plan.threads,
                                plan.runs, on_round)
    return {record.preset: record
            for record in benchmark.records_of(exported, measurements, plan)}


def _row(name, system, length, sizes, records):
    config = presets.get(system.preset)
    return ComparedSystem(
        name, system, counting.parameters(config).total, counting.flops(config, length).total,
        sizes.get(system.preset),
        {threads: by_preset[system.preset] for threads, by_preset in records.items()
         if system.preset in by_preset})
