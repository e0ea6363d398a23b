"""Time files on real texts: each text runs the shortest signature that fits."""

import contextlib
import importlib.metadata
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mobilebert_tf import machine
from mobilebert_tf.checks import check_paths, check_several, check_texts, check_threads
from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets import glue, rows
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark.file_names import names_of
from mobilebert_tf.export.benchmark.plan import default_threads
from mobilebert_tf.export.benchmark.process import Process
from mobilebert_tf.export.benchmark.text_record import TextRecord
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.package.file_settings import check_single_texts, pairs_of

_WARM_UP_TEXTS = 5


def read(path: str | os.PathLike) -> list[str]:
    """Read the texts of a file: one a line, or GLUE's SST-2 for a .tsv.

    Raises:
      InputError: if it cannot be read, is not UTF-8, or has no text.
    """
    path = Path(path)
    if lines.suffix(path) == ".tsv":
        return list(glue.read(path, glue.task("sst2")).texts)
    if lines.suffix(path) in rows.READERS:
        raise InputError(f"{path} is a table, and its lines are no texts: write its texts to a "
                         ".txt file, one a line")
    texts = [line.rstrip("\r\n") for _, line in lines.read(path) if line.strip()]
    if not texts:
        raise InputError(f"{path} has no text")
    return texts


def measure(files, texts, *, threads: int | None = None, baseline: str | None = None,
            command: str = "",
            on_text: Callable[[int, int], None] = lambda done, of: None,
            start=lambda file, threads: Process("text_worker", file, threads)) -> list[TextRecord]:
    """Time every text on every file in turn, each file in its own process.

    A file runs a text twice and the second run counts, since the other files have emptied the
    caches. Tokenization is not timed.

    Args:
      files: paths of files that this project exported with their vocabulary.
      texts: list of str.
      threads: of the CPU kernels; None for the cores there are, at most 4.
      baseline: name of the file to compare with, without its suffix; None for the first.
      command: the command that makes the numbers again, if there is one.
      on_text: receives the number of texts done and of all, after each text.
      start: starts the process of a file; for tests.

    Raises:
      InputError: for no text, no file, one that this project did not export or that has no
        vocabulary or reads pairs of texts, a baseline that is not among them, and threads that are
        out of range.
    """
    check_texts("texts", texts)
    if not len(texts):
        raise InputError("there is no text to run")
    check_several(files=files)
    if not files:
        raise InputError("texts need exported files with a vocabulary: none is given")
    check_paths(files=files)
    threads = default_threads() if threads is None else threads
    check_threads(threads)
    threads = int(threads)
    described = [metadata.read(file) for file in files]
    for file, known in zip(files, described, strict=True):
        check_single_texts(file, pairs_of(Path(file), known))
    names = names_of(files)
    baseline = names[0] if baseline is None else baseline
    if baseline not in names:
        raise InputError(f"the baseline {baseline!r} is not measured; it should be one of "
                         f"{', '.join(names)}")
    answers = _answers(files, texts, threads, on_text, start)
    compared_with = [one["class"] for one in answers[names.index(baseline)]]
    common = {"baseline": baseline, "texts": len(texts), "num_threads": threads,
              "machine": machine.describe(),
              "date": machine.now(), "command": command}
    return [_record(Path(file), name, known, said, compared_with, common)
            for file, name, known, said in zip(files, names, described, answers, strict=True)]


def _answers(files, texts, threads, on_text, start):
    """The workers' answers to every text, by file."""
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
    return answers


def _record(path, name, known, answers, compared_with, common):
    times_ms = [one["time_ms"] for one in answers]
    lengths = [one["length"] for one in answers]
    classes = [one["class"] for one in answers]
    equal = (None if None in (*classes, *compared_with)
             else float(np.mean(np.equal(classes, compared_with))))
    return TextRecord(
        model=path.name, name=name, recipe=known.recipe, lengths=known.lengths,
        runs_by_length={length: lengths.count(length) for length in sorted(set(lengths))},
        mean_ms=float(np.mean(times_ms)), median_ms=float(np.median(times_ms)),
        p95_ms=float(np.percentile(times_ms, 95)), equal_predictions=equal,
        bytes=path.stat().st_size, versions={
            "mobilebert-tf": known.version,
            "ai-edge-litert": importlib.metadata.version("ai-edge-litert")}, **common)
