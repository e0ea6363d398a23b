"""Texts: files timed on real texts, where each runs the shortest signature that fits."""

import contextlib
import dataclasses
import importlib.metadata
import os
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from mobilebert_tf import __version__
from mobilebert_tf.data.datasets import glue
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark.compare import machine
from mobilebert_tf.export.benchmark.process import Process
from mobilebert_tf.export.file import metadata

_WARM_UP_TEXTS = 5


@dataclasses.dataclass(frozen=True, kw_only=True)
class TextRecord:
    """The latency of one file over texts, in one run beside the others.

    Args:
      model: the file.
      name: the file without its ending.
      recipe: how it was exported.
      lengths: tokens of its signatures.
      runs_by_length: how many texts ran at each.
      texts: how many there are.
      num_threads: of the CPU kernels.
      mean_ms, median_ms, p95_ms: of a run of one text; without tokenization.
      baseline: the name that it is compared with.
      equal_predictions: share of texts with the class that the baseline gives; None where either
        is no classifier.
      bytes: size of the file.
      machine, versions, date, command: as in `BenchmarkRecord`.
    """

    model: str
    name: str
    recipe: str
    lengths: tuple[int, ...]
    runs_by_length: dict[int, int]
    texts: int
    num_threads: int
    mean_ms: float
    median_ms: float
    p95_ms: float
    baseline: str
    equal_predictions: float | None
    bytes: int
    machine: str
    versions: dict[str, str]
    date: str
    command: str


def read(path: str | os.PathLike) -> list[str]:
    """The texts of a file: one a line, or those of GLUE's SST-2 where it ends in .tsv.

    Raises:
      InputError: when it cannot be read, is not UTF-8, or has no text.
    """
    path = Path(path)
    if path.suffix == ".tsv":
        return list(glue.read(path, glue.task("sst2")).texts)
    try:
        texts = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8") from error
    if not texts:
        raise InputError(f"{path} has no text")
    return texts


def measure(files, texts, threads: int, command: str, baseline: str | None = None,
            on_text: Callable[[int, int], None] = lambda done, of: None,
            start=lambda file, threads: Process("text_worker", file, threads)) -> list[TextRecord]:
    """Times every text on every file in turn, each file in a process of its own.

    A file runs a text twice, and the second run counts: the others have emptied the caches. What
    the tokenizer takes is not in it.

    Args:
      files: paths of files that this project exported, with their vocabulary.
      texts: list of str.
      threads: of the CPU kernels.
      command: what makes the numbers again.
      baseline: the file to compare with, by its name without ending; None for the first.
      on_text: is told after each text how many are done, and of how many.
      start: makes the process of a file; for tests.

    Raises:
      InputError: for no file, one that is not ours or carries no vocabulary, a baseline that is
        not among them.
    """
    if not files:
        raise InputError("texts are run by exported files: name them with --files")
    described = [metadata.read(file) for file in files]
    names = [Path(file).stem for file in files]
    baseline = names[0] if baseline is None else baseline
    if baseline not in names:
        raise InputError(f"the baseline {baseline!r} is not measured; it should be one of "
                         f"{', '.join(names)}")
    with contextlib.ExitStack() as stack:
        workers = []
        for file in files:
            workers.append(start(file, threads))
            stack.callback(workers[-1].close)
        for text in texts[:_WARM_UP_TEXTS]:
            for worker in workers:
                worker.ask(text)
        answers = [[] for _ in workers]
        for done, text in enumerate(texts, 1):
            for worker, said in zip(workers, answers, strict=True):
                said.append(worker.ask(text))
            on_text(done, len(texts))
    compared_with = [one["class"] for one in answers[names.index(baseline)]]
    common = {"baseline": baseline, "texts": len(texts), "num_threads": threads,
              "machine": machine(),
              "versions": {"mobilebert-tf": __version__,
                           "ai-edge-litert": importlib.metadata.version("ai-edge-litert")},
              "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
              "command": command}
    return [_record(Path(file), known, said, compared_with, common)
            for file, known, said in zip(files, described, answers, strict=True)]


def _record(path, known, answers, compared_with, common):
    times_ms = [one["time_ms"] for one in answers]
    lengths = [one["length"] for one in answers]
    classes = [one["class"] for one in answers]
    equal = (None if None in (*classes, *compared_with)
             else float(np.mean(np.equal(classes, compared_with))))
    return TextRecord(
        model=path.name, name=path.stem, recipe=known.recipe, lengths=known.lengths,
        runs_by_length={length: lengths.count(length) for length in sorted(set(lengths))},
        mean_ms=float(np.mean(times_ms)), median_ms=float(np.median(times_ms)),
        p95_ms=float(np.percentile(times_ms, 95)), equal_predictions=equal,
        bytes=path.stat().st_size, **common)
