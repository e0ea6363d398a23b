"""Latency on this machine: every model in a process of its own, in turn, one at a time."""

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable

from ...errors import InputError

_WARM_UP_RUNS = 5
_RUNS_A_TURN = 5


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What one worker gave: its times, in milliseconds, and what it said of the model."""

    times_ms: list[float]
    length: int
    peak_memory_mb: float | None


class Worker:
    """A process that keeps one model open and runs it when asked.

    Args:
      file: path of a .tflite file with three integer inputs.
      threads: of the CPU kernels.
    Attributes: `length`, tokens of the inputs; `peak_memory_mb`, known after a run.
    Raises:
      InputError: where LiteRT cannot open or run the file.
    """

    def __init__(self, file, threads):
        self._file = file
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.worker", os.fspath(file), str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.peak_memory_mb = None
        try:
            self.length = self._answer()["length"]
        except InputError:
            self.close()
            raise

    def run(self, count: int) -> list[float]:
        """Runs the model so many times; returns the time of each in milliseconds."""
        # A dead process is told by the answer that does not come.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{count}\n")
            self._process.stdin.flush()
        answer = self._answer()
        self.peak_memory_mb = answer["peak_memory_mb"]
        return answer["times_ms"]

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def _answer(self):
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {
            "error": f"LiteRT ended with {self._process.wait()} while running it"}
        if "error" in answer:
            raise InputError(f"cannot benchmark {self._file}: {answer['error']}")
        return answer


def default_threads() -> int:
    """The cores that this process may use, at most 4: what a phone's benchmark takes."""
    usable = (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity")
              else os.cpu_count() or 1)
    return min(usable, 4)


def measure(files, threads: int, runs: int, on_round: Callable[[int, int], None] = lambda *_: None,
            worker=Worker) -> list[Measurement]:
    """Times files against each other: after a warm-up, a few runs each, round by round.

    Interleaved, so that a machine that slows down slows all of them alike. The first run of a
    turn is not counted: the others have emptied the caches.

    Args:
      files: paths.
      threads: of the CPU kernels.
      runs: timed runs of each file.
      on_round: called with the runs done and `runs` after each round.
      worker: makes the process of a file; for tests.
    """
    with contextlib.ExitStack() as stack:
        workers = []
        for file in files:
            workers.append(worker(file, threads))
            stack.callback(workers[-1].close)
        for one in workers:
            one.run(_WARM_UP_RUNS)
        times_ms = [[] for _ in workers]
        for done in range(0, runs, _RUNS_A_TURN):
            count = min(_RUNS_A_TURN, runs - done)
            for one, times in zip(workers, times_ms, strict=True):
                times += one.run(1 + count)[1:]
            on_round(done + count, runs)
        return [Measurement(times, one.length, one.peak_memory_mb)
                for one, times in zip(workers, times_ms, strict=True)]
