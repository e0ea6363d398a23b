"""Compare: presets and files in one interleaved run on this machine."""

import importlib.metadata
import os
import platform
import tempfile
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from ... import __version__, presets
from ...errors import InputError
from ...files import write_atomically
from .. import metadata, recipes
from . import host
from .record import BenchmarkRecord

BASELINE = "bert_base"


def compare(preset_names, recipe="dynamic_int8", length=128, threads=None, runs=50, files=(),
            progress: Callable[[str], None] = lambda message: None,
            on_round: Callable[[int, int], None] = lambda done, of: None) -> list[BenchmarkRecord]:
    """Exports presets with random weights, then measures them and the files side by side.

    Args:
      preset_names: presets to export as classifiers.
      recipe, length: how to export them.
      threads: of the CPU kernels; None for the cores there are, at most 4.
      runs: timed runs of each.
      files: .tflite files to measure with them, ours or not.
      progress: is told what is being done.
      on_round: is told after each round how many runs are done, and of how many.

    Raises:
      InputError: for an unknown preset or recipe, nothing to measure, a file that LiteRT cannot
        run.
    """
    recipes.get(recipe)
    for name in preset_names:
        presets.get(name)
    if not preset_names and not files:
        raise InputError("nothing to benchmark: name presets or files")
    for file in files:
        if not Path(file).is_file():
            raise InputError(f"there is no file {file}")
    threads = threads or host.default_threads()
    with tempfile.TemporaryDirectory(prefix="mobilebert-benchmark-") as directory:
        exported = []
        for name in preset_names:
            progress(f"Exporting {name} with random weights, {recipe}, length {length} ...")
            exported.append(_export(name, recipe, length, directory))
        paths = [*exported, *map(Path, files)]
        progress(f"Measuring {len(paths)} files in turn on {threads} "
                 f"thread{'s' * (threads > 1)}, {runs} runs each ...")
        measured = host.measure(paths, threads, runs, on_round)
        common = {"threads": threads, "machine": _machine(), "versions": _versions(),
                  "date": datetime.now(timezone.utc).isoformat(timespec="seconds")}
        return [
            BenchmarkRecord.from_times(
                one.times_ms, name=path.stem, length=one.length, bytes=path.stat().st_size,
                peak_memory_mb=one.peak_memory_mb,
                recipe=recipe if path in exported else _recipe(path),
                random_weights=True if path in exported else None, **common)
            for path, one in zip(paths, measured, strict=True)]


def speed_ups(records) -> list[float | None]:
    """How many times as fast as BERT-base each is; None where that was not measured."""
    baseline = next((record.median_ms for record in records if record.name == BASELINE), None)
    return [baseline and baseline / record.median_ms for record in records]


def _export(name, recipe, length, directory):
    # TensorFlow, only where there is something to export.
    from ..convert import to_tflite
    from .random_weights import classifier

    path = Path(directory) / f"{name}.tflite"
    write_atomically(path, to_tflite(classifier(name), recipe, (length,)).model)
    return path


def _recipe(path):
    try:
        return metadata.read(path).recipe
    except InputError:
        return None


def _versions():
    return {"mobilebert-tf": __version__,
            "ai-edge-litert": importlib.metadata.version("ai-edge-litert")}


def _machine():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
