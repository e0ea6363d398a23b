"""The process that times one model: `python -m mobilebert_tf.export.benchmark.worker FILE ...`.

It writes one JSON line when the model is open. For each number of runs that it reads, it writes a
line with their times. It does not import TensorFlow, so its memory is the runtime's.
"""

import sys
import time
from pathlib import Path

from mobilebert_tf import reasons
from mobilebert_tf.export.benchmark import process, runtimes


def main(file: str, threads: str, length: str = "") -> None:
    """Open the file, at that length if one is given, and time it on request."""
    open_in = runtimes.of(file)  # imports the runtime, before memory is measured
    before = _memory_mb("VmRSS")
    start = time.perf_counter()
    try:
        model = open_in(file, int(threads), int(length) if length else None)
    except (ValueError, RuntimeError) as error:
        process.say({"error": reasons.last_line(error)})
        return
    init_ms = 1e3 * (time.perf_counter() - start)

    def times(count):
        times_ms = [_time_ms(model) for _ in range(count)]
        peak = _memory_mb("VmHWM")
        return {"times_ms": times_ms, "peak_memory_mb": None if peak is None else peak - before}

    process.serve({"length": model.length, "signature": model.signature, "init_ms": init_ms,
                   "input_bytes": model.input_bytes}, times)


def _time_ms(model):
    start = time.perf_counter()
    model.run()
    return 1e3 * (time.perf_counter() - start)


def _memory_mb(field):
    # The peak of getrusage is inherited from the process that started this one.
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return int(status.split(f"{field}:")[1].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    main(*sys.argv[1:])
