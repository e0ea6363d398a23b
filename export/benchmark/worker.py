"""The process that holds one model: `python -m mobilebert_tf.export.benchmark.worker FILE THREADS`.

Says one JSON line when the model is open, then, for every number of runs that it reads, one with
their times. Without TensorFlow, so that its memory is LiteRT's.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter


def main(file: str, threads: str) -> None:
    before = _memory_mb("VmRSS")
    try:
        interpreter = Interpreter(model_path=file, num_threads=int(threads))
        interpreter.allocate_tensors()
        length = _fill_inputs(interpreter)
    except (ValueError, RuntimeError) as error:
        _say({"error": str(error).strip().splitlines()[-1]})
        return
    _say({"length": length})
    for line in sys.stdin:
        times_ms = [_time_ms(interpreter) for _ in range(int(line))]
        peak = _memory_mb("VmHWM")
        _say({"times_ms": times_ms, "peak_memory_mb": None if peak is None else peak - before})


def _fill_inputs(interpreter):
    """Sets ids that every vocabulary has, a mask and segments of ones; returns the length."""
    details = interpreter.get_input_details()
    if len(details) != 3 or any(
            not np.issubdtype(tensor["dtype"], np.integer) or len(tensor["shape"]) != 2
            or -1 in tensor["shape_signature"] for tensor in details):
        raise ValueError("it should have three integer inputs of a fixed shape (1, length): "
                         "ids, mask, segment ids")
    named = [tensor for tensor in details
             if "ids" in tensor["name"] and "segment" not in tensor["name"]
             and "type" not in tensor["name"]]
    ids = (named or details)[0]  # without telling names the order is ids, mask, segment ids
    for tensor in details:
        values = np.ones(tensor["shape"], tensor["dtype"])
        if tensor is ids:
            values *= np.arange(values.size).reshape(values.shape).astype(values.dtype) % 100
        interpreter.set_tensor(tensor["index"], values)
    return int(ids["shape"][1])


def _time_ms(interpreter):
    start = time.perf_counter()
    interpreter.invoke()
    return 1e3 * (time.perf_counter() - start)


def _memory_mb(field):
    # Not getrusage: its peak is inherited from the process that started this one.
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return int(status.split(f"{field}:")[1].split()[0]) * 1024 / 1e6


def _say(message):
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
