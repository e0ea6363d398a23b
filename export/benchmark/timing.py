"""Timing: the times that LiteRT's benchmark_model prints."""

import dataclasses
import re

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.benchmark.adb import last_line

_NUMBER = r"(-?[\d.]+(?:e[+-]?\d+)?)"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Timing:
    """Times in milliseconds; None for those that benchmark_model does not print."""

    runs: int
    avg_ms: float
    min_ms: float
    max_ms: float
    std_ms: float | None = None
    p5_ms: float | None = None
    median_ms: float | None = None
    p95_ms: float | None = None
    init_ms: float | None = None
    first_ms: float | None = None
    peak_memory_mb: float | None = None


def parse(said: str) -> Timing:
    """Read the output of benchmark_model.

    Two generations of the tool are understood: the classic one (`tflite/tools/benchmark`) and
    LiteRT's (`benchmark_litert_model`).

    Raises:
      InputError: for an output without times.
    """
    lines = [line for line in said.splitlines() if re.search(r"count=\d+ .*curr=", line)]
    runs, times = _classic(lines[-1], said) if lines else _litert(said)
    if not runs or not {"avg_ms", "min_ms", "max_ms"} <= times.keys():
        raise InputError("benchmark_model's output has no times that can be understood; its last "
                         f"line: {last_line(said)}")
    peak = _find(r"(?:Overall peak memory footprint \(MB\) via periodic monitoring|Peak memory): ",
                 said)
    # A negative footprint means "not measured".
    return Timing(runs=runs, peak_memory_mb=None if peak is None or peak < 0 else peak, **times)


def _classic(line, said):
    """(runs, times by name) of the classic tool.

    It prints a line of statistics in microseconds for the warm-up and one for the runs; `line` is
    the latter. If all runs took the same time, the line has only that time.
    """
    found = dict(re.findall(rf"(\w+)={_NUMBER}", line))
    same = found["curr"] if "(all same)" in line else None
    times = {f"{name}_ms": value for name, value in (
        ("avg", found.get("avg", same)), ("min", found.get("min", same)),
        ("max", found.get("max", same)), ("std", found.get("std", same and "0")),
        ("p5", found.get("p5")), ("median", found.get("median", same)), ("p95", found.get("p95")),
        ("init", _find(r"in us: Init: ", said)), ("first", _find(r"First inference: ", said)))}
    return int(found["count"]), {name: float(value) / 1e3 for name, value in times.items()
                                 if value is not None}


def _litert(said):
    """(runs, times by name) of LiteRT's tool, which prints milliseconds."""
    times = {
        **{f"{name}_ms": _find(rf"Inference \({name}\): ", said)
           for name in ("avg", "min", "max", "std")},
        "init_ms": _find(r"Model initialization: ", said),
        "first_ms": _find(r"Warmup \(first\): ", said)}
    runs = re.search(r"Inference \(avg\): .* ms \((\d+) runs\)", said)
    return int(runs[1]) if runs else 0, {name: value for name, value in times.items()
                                         if value is not None}


def _find(before, said):
    found = re.search(before + _NUMBER, said)
    return float(found[1]) if found else None
