"""BenchmarkRecord: one measured number with all that it depends on."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, kw_only=True)
class BenchmarkRecord:
    """The latency, memory and size of one file, in one run beside the others.

    Args:
      name: of the preset, or of the file where it was given.
      recipe: how it was exported; None for a file of somebody else.
      length: tokens of its inputs.
      threads: of the CPU kernels.
      runs: timed runs, after the warm-up.
      median_ms, p95_ms, min_ms, max_ms, mean_ms: of one run.
      bytes: size of the file.
      peak_memory_mb: how much a process that opens and runs the file grows at most, in 10^6
        bytes; None where the system does not tell.
      random_weights: whether the weights are untrained; None where it is not known.
      machine: processor, cores and system.
      versions: of the runtime and of this project.
      date: when, ISO 8601 in UTC.
    """

    name: str
    recipe: str | None
    length: int
    threads: int
    runs: int
    median_ms: float
    p95_ms: float
    min_ms: float
    max_ms: float
    mean_ms: float
    bytes: int
    peak_memory_mb: float | None
    random_weights: bool | None
    machine: str
    versions: dict[str, str]
    date: str

    @classmethod
    def from_times(cls, times_ms, **rest) -> "BenchmarkRecord":
        """A record of these times, in milliseconds, and the rest of its fields."""
        return cls(
            runs=len(times_ms), median_ms=float(np.median(times_ms)),
            p95_ms=float(np.percentile(times_ms, 95)), min_ms=float(np.min(times_ms)),
            max_ms=float(np.max(times_ms)), mean_ms=float(np.mean(times_ms)), **rest)
