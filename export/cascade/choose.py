"""Choose the threshold of a cascade on one half of a dev set; measure it on the other."""

import importlib.metadata
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mobilebert_tf import __version__, machine
from mobilebert_tf.checks import check_count, check_path, check_threads, is_number
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark import host
from mobilebert_tf.export.benchmark.plan import default_threads
from mobilebert_tf.export.cascade.cascade_choice import CascadeChoice
from mobilebert_tf.export.cascade.cascade_point import CascadePoint
from mobilebert_tf.export.cascade.dev_half import DevHalf
from mobilebert_tf.export.file import metadata
from mobilebert_tf.export.file.runner import Runner
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.running import run as running
from mobilebert_tf.tasks import catalogue

# The thresholds that are tried ask about 0, 1, ... 100 % of the examples.
_STEPS = 100
_DECIMALS = 3


def choose_cascade(first: str | os.PathLike, second: str | os.PathLike, task: str, *,
                   data: str | os.PathLike | None = None, dev: str | os.PathLike | None = None,
                   text: str | None = None, label: str | None = None,
                   second_text: str | None = None, loss: float = 0.5, threads: int | None = None,
                   runs: int = 50, track: running.Track = running.untracked,
                   on_round: Callable[[int, int], None] = lambda done, of: None,
                   measure=host.measure) -> CascadeChoice:
    """Find the threshold with which a cascade of two files loses no more than a stated loss.

    The 1st, 3rd, 5th, ... examples of the dev set choose, the others measure. Thresholds are tried
    from the highest down. The last one before a loss of more than `loss` points against the second
    file alone is chosen. Both files are timed in turn, at all their lengths; the latency of an
    example follows from its lengths and from whether the second file is asked.

    Args:
      first: the smaller, faster .tflite file, or a package, whose first file is taken.
      second: the same of the larger one.
      task: a name in `tasks.catalogue.names()`.
      data: the directory with the task's files; or tfds:glue/sst2 and the like.
      dev: a dev file instead of the directory's.
      text, label, second_text: the columns of your own table.
      loss: in points of 100 of the task's metric, 0 or more.
      threads: of the CPU kernels; None for the cores there are, at most 4.
      runs: timed runs of each file at each length.
      track: shows the progress on the dev set; see `running.run.run`.
      on_round: receives the runs done and `runs`.
      measure: as `host.measure`; for tests.
    Raises:
      InputError: for models of different kinds or labels, or of another task; a kind without
        decisions; a loss that is not 0 or more; threads or runs that are out of range; a dev file
        that is missing, damaged or has fewer than two examples; and files that cannot be run.
    """
    check_path(first=first, second=second)
    check_count(runs=runs)
    threads = default_threads() if threads is None else threads
    check_threads(threads)
    if not is_number(loss):
        raise InputError(f"the loss of a cascade should be 0 or more points. Received: {loss}")
    files, threads = (_file(first), _file(second)), int(threads)
    described = _task(files, task, catalogue.columns(text, label, second_text))
    dev_file = catalogue.data(described, data, dev_file=dev).dev_file
    halves = _halves(described, dev_file)
    runners = [Runner(file, threads) for file in files]
    choosing, measuring = (
        DevHalf(described, runners, examples, track, f"{which} half of the dev set")
        for which, examples in zip(("one", "the other"), halves, strict=True))
    costs, undisturbed = _costs(files, (choosing, measuring), threads, runs, on_round, measure)
    first_ms, second_ms = (said.times_ms(of_file) for said, of_file in zip(
        (measuring.first, measuring.second), costs, strict=True))
    thresholds = tried(choosing.confidences)
    curve = tuple(_point(measuring, asked, first_ms + asked * second_ms, threshold)
                  for threshold in thresholds for asked in [measuring.asked(threshold)])
    chosen = curve[thresholds.index(_chosen(choosing, thresholds, loss))]
    nowhere, everywhere = (np.full(len(measuring.examples), value) for value in (False, True))
    return CascadeChoice(
        files=files, kind=described.kind, task=described.name, metric=described.metrics.main,
        bound=loss, chosen_on=len(choosing.examples), measured_on=len(measuring.examples),
        chosen=chosen, loss_noise=measuring.loss_noise(measuring.asked(chosen.threshold)),
        first=_point(measuring, nowhere, first_ms),
        second=_point(measuring, everywhere, second_ms),
        calibration_error=measuring.first.decisions.calibration_error(), curve=curve, costs=costs,
        undisturbed=undisturbed, num_threads=threads, num_runs=runs, machine=machine.describe(),
        date=machine.now(),
        versions={"mobilebert-tf": __version__,
                  "ai-edge-litert": importlib.metadata.version("ai-edge-litert")})


def tried(confidences: np.ndarray) -> list[float]:
    """Return thresholds that ask about 0, 1, ... 100 % of the examples, ascending.

    Each is in the middle between the confidences of two neighbours. Examples of equal confidence
    are asked together. The last threshold is 1, which always asks.

    Args:
      confidences: of the examples, `(examples,)`.
    """
    ordered, count = np.sort(confidences), len(confidences)
    numbers = sorted({round(count * step / _STEPS) for step in range(_STEPS + 1)})
    found = [0.0, *(float(ordered[number - 1] + ordered[number]) / 2
                    for number in numbers if 0 < number < count), 1.0]
    return list(dict.fromkeys(found))


def _chosen(half, thresholds, loss):
    """The lowest threshold from which on none loses more."""
    best = half.score(np.ones(len(half.examples), bool))
    chosen = thresholds[-1]
    for threshold in reversed(thresholds):
        if round(100 * (best - half.score(half.asked(threshold))), _DECIMALS) > loss:
            break
        chosen = threshold
    return chosen


def _file(model):
    """The .tflite file that a path names."""
    found = package_directory.first_file(Path(model))
    if not found.exists():
        raise InputError(f"there is no model {model}")
    if not found.is_file():
        raise InputError(f"{model} is no .tflite file, and latency is measured on files: export it "
                         "first")
    return found


def _task(files, name, columns):
    """The task with the labels of both files."""
    first, second = (metadata.read(file).kind for file in files)
    first.require_same_decisions(second)
    task = catalogue.of(name, columns, first.labels)
    for file, kind in zip(files, (first, second), strict=True):
        task.check(kind, file)
    return task.bound(first.labels, first.settings)


def _halves(task, dev_file):
    examples = task.read(dev_file)
    if len(examples) < 2:
        raise InputError(f"{dev_file} has one example, and the threshold is chosen on one half of "
                         "the dev set and measured on the other")
    return [task.kind.select(examples, range(start, len(examples), 2)) for start in (0, 1)]


def _costs(files, halves, threads, runs, on_round, measure):
    """Of each file, the median and the 5th percentile of a run's milliseconds by length."""
    lengths = [sorted({length for half in halves for of_example in said(half).lengths
                       for length in map(int, of_example)})
               for said in (lambda half: half.first, lambda half: half.second)]
    subjects = [(file, length) for file, of_file in zip(files, lengths, strict=True)
                for length in of_file]
    latencies = [one.latency for one in measure(subjects, threads, runs, on_round)]
    return tuple(tuple(
        {length: getattr(latency, name) for (of, length), latency in zip(
            subjects, latencies, strict=True) if of == file} for file in files)
        for name in ("median_ms", "p5_ms"))


def _point(half, asked, times_ms, threshold=None):
    return CascadePoint(threshold=threshold, asked=float(np.mean(asked)), score=half.score(asked),
                        mean_ms=float(np.mean(times_ms)))
