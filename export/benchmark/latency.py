"""Latency: the times of one model's runs, summed up."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, kw_only=True)
class Latency:
    """Times in milliseconds, under the names of LiteRT's own `litert-benchmark --result_json`.

    Args:
      init_ms: from opening the file to a model that is ready to run.
      warmup_first_ms, warmup_avg_ms, num_warmup_runs: the runs that are not counted.
      avg_ms, min_ms, max_ms, median_ms, std_ms, p5_ms, p95_ms, num_runs: the runs that are.
    """

    init_ms: float
    warmup_first_ms: float
    warmup_avg_ms: float
    num_warmup_runs: int
    avg_ms: float
    min_ms: float
    max_ms: float
    median_ms: float
    std_ms: float
    p5_ms: float
    p95_ms: float
    num_runs: int

    @classmethod
    def from_times(cls, times_ms, warmup_ms, init_ms: float) -> "Latency":
        """Sum up the times of the counted runs and of the warm-up."""
        p5, median, p95 = np.percentile(times_ms, (5, 50, 95))
        return cls(
            init_ms=init_ms, warmup_first_ms=float(warmup_ms[0]),
            warmup_avg_ms=float(np.mean(warmup_ms)), num_warmup_runs=len(warmup_ms),
            avg_ms=float(np.mean(times_ms)), min_ms=float(np.min(times_ms)),
            max_ms=float(np.max(times_ms)), median_ms=float(median),
            std_ms=float(np.std(times_ms, ddof=1)) if len(times_ms) > 1 else 0.0,
            p5_ms=float(p5), p95_ms=float(p95), num_runs=len(times_ms))
