"""Latency on this machine: every model in a process of its own, in turn, one at a time."""

import contextlib
import dataclasses
import os
from collections.abc import Callable

from mobilebert_tf.export.benchmark.process import Process
from mobilebert_tf.export.benchmark.record import Latency

_WARM_UP_RUNS = 5
_RUNS_A_TURN = 5


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What one worker gave: its times, and what it said of the model."""

    latency: Latency
    length: int
    signature: str | None
    input_bytes: int
    peak_memory_mb: float | None


class Worker:
    """A process that keeps one model open and runs it when asked.

    Args:
      file: path of a .tflite or .onnx file with three integer inputs.
      threads: of the CPU kernels.
      length: which of its signatures; None for the longest.
    Attributes: `opened`, what it said of the model; `peak_memory_mb`, known after a run.
    Raises:
      InputError: where the runtime cannot open or run the file.
    """

    def __init__(self, file, threads, length=None):
        self._process = Process("worker", file, threads, "" if length is None else length)
        self.opened = self._process.opened
        self.peak_memory_mb = None
        self.close = self._process.close

    def run(self, count: int) -> list[float]:
        """Runs the model so many times; returns the time of each in milliseconds."""
        answer = self._process.ask(count)
        self.peak_memory_mb = answer["peak_memory_mb"]
        return answer["times_ms"]


def default_threads() -> int:
    """The cores that this process may use, at most 4: what a phone's benchmark takes."""
    usable = (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity")
              else os.cpu_count() or 1)
    return min(usable, 4)


def measure(models, threads: int, runs: int, on_round: Callable[[int, int], None] = lambda *_: None,
            worker=Worker) -> list[Measurement]:
    """Times models against each other: after a warm-up, a few runs each, round by round.

    Interleaved, so that a machine that slows down slows all of them alike. The first run of a
    turn is not counted: the others have emptied the caches.

    Args:
      models: (path, length) of each; a length of None is the file's longest.
      threads: of the CPU kernels.
      runs: timed runs of each.
      on_round: called with the runs done and `runs` after each round.
      worker: makes the process of a model; for tests.
    """
    with contextlib.ExitStack() as stack:
        workers = []
        for file, length in models:
            workers.append(worker(file, threads, length))
            stack.callback(workers[-1].close)
        warm_up_ms = [one.run(_WARM_UP_RUNS) for one in workers]
        times_ms = [[] for _ in workers]
        for done in range(0, runs, _RUNS_A_TURN):
            count = min(_RUNS_A_TURN, runs - done)
            for one, times in zip(workers, times_ms, strict=True):
                times += one.run(1 + count)[1:]
            on_round(done + count, runs)
        return [
            Measurement(Latency.from_times(times, warm_up, one.opened["init_ms"]),
                        one.opened["length"], one.opened["signature"], one.opened["input_bytes"],
                        one.peak_memory_mb)
            for one, times, warm_up in zip(workers, times_ms, warm_up_ms, strict=True)]
