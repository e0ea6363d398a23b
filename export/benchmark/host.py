"""Latency on this machine: models take turns, each in its own process."""

import contextlib
from collections.abc import Callable, Sequence

from mobilebert_tf.export.benchmark.latency import Latency
from mobilebert_tf.export.benchmark.measurement import Measurement
from mobilebert_tf.export.benchmark.process import Process

_WARM_UP_RUNS = 5
_RUNS_A_TURN = 5


class _Worker:
    """A process that keeps one model open and runs it on request.

    Args:
      file: path of a .tflite or .onnx file with three integer inputs.
      threads: of the CPU kernels.
      length: tokens of the signature; None for the longest.
    Attributes: `opened`, facts about the model; `peak_memory_mb`, None before the first run.
    Raises:
      InputError: if the runtime cannot open or run the file.
    """

    def __init__(self, file, threads, length=None):
        self._process = Process("worker", file, threads, "" if length is None else length)
        self.opened = self._process.opened
        self.peak_memory_mb = None
        self.close = self._process.close

    def run(self, count: int) -> list[float]:
        """Run the model `count` times; return the milliseconds of each run."""
        answer = self._process.ask(count)
        self.peak_memory_mb = answer["peak_memory_mb"]
        return answer["times_ms"]


def measure(models, threads: int | Sequence[int], runs: int,
            on_round: Callable[[int, int], None] = lambda *_: None,
            worker=_Worker) -> list[Measurement]:
    """Time models in turn: after a warm-up a few runs of each, round by round.

    If the machine slows down, all models slow down alike. The first run of a turn is not counted,
    since the other models have emptied the caches.

    Args:
      models: (path, length) of each; a length of None is the file's longest.
      threads: of the CPU kernels, of all models or of each.
      runs: timed runs of each.
      on_round: called after each round with the runs done and `runs`.
      worker: starts the process of a model; for tests.
    """
    of_each = [threads] * len(models) if isinstance(threads, int) else threads
    with contextlib.ExitStack() as stack:
        workers = []
        for (file, length), count in zip(models, of_each, strict=True):
            workers.append(worker(file, count, length))
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
