"""BenchmarkRecord: one measured file with all that its numbers depend on."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, kw_only=True)
class Latency:
    """Times in milliseconds, under the names of LiteRT's own `litert-benchmark --result_json`.

    Args:
      init_ms: from the file to a model that is ready to run.
      warmup_first_ms, warmup_avg_ms, num_warmup_runs: of the runs that are not counted.
      avg_ms, min_ms, max_ms, median_ms, std_ms, p5_ms, p95_ms, num_runs: of those that are.
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
        """Sums up the times of counted runs and of the warm-up."""
        p5, median, p95 = np.percentile(times_ms, (5, 50, 95))
        return cls(
            init_ms=init_ms, warmup_first_ms=float(warmup_ms[0]),
            warmup_avg_ms=float(np.mean(warmup_ms)), num_warmup_runs=len(warmup_ms),
            avg_ms=float(np.mean(times_ms)), min_ms=float(np.min(times_ms)),
            max_ms=float(np.max(times_ms)), median_ms=float(median),
            std_ms=float(np.std(times_ms, ddof=1)) if len(times_ms) > 1 else 0.0,
            p5_ms=float(p5), p95_ms=float(p95), num_runs=len(times_ms))


@dataclasses.dataclass(frozen=True, kw_only=True)
class BenchmarkRecord:
    """The latency, memory and size of one file, in one run beside the others.

    Args:
      model: the file.
      accelerators: what ran it.
      signature: what was run of it; None for a file without signatures.
      num_threads: of the CPU kernels.
      latency: a `Latency`.
      input_bytes: what a run reads.
      name: of the preset, of the peer, or of the file where that was given.
      preset: None for a file that this run did not export.
      task: what the file is for; None where it is not known, as are the next three.
      recipe: how it was exported.
      random_weights: whether the weights are untrained.
      peak_memory_mb: how much a process that opens and runs the file grows at most, in 10^6
        bytes.
      length: tokens of its inputs.
      bytes: size of the file.
      machine: processor, cores and system.
      versions: of the runtime and of this project.
      date: when, ISO 8601 in UTC.
      command: what makes the number again.
    """

    model: str
    accelerators: tuple[str, ...] = ("CPU",)
    signature: str | None
    num_threads: int
    latency: Latency
    input_bytes: int
    name: str
    preset: str | None
    task: str | None
    recipe: str | None
    random_weights: bool | None
    peak_memory_mb: float | None
    length: int
    bytes: int
    machine: str
    versions: dict[str, str]
    date: str
    command: str

    def to_dict(self) -> dict:
        """The record for JSON: every key of litert-benchmark, with its meaning, and ours.

        `model_size_mb` and `throughput_mb_s` are in 2^20 bytes there. `fully_accelerated` is null:
        the interpreter does not tell, and a model that looks token ids up never is on a CPU.
        """
        mebibytes_read = self.input_bytes / 2**20
        return {
            **dataclasses.asdict(self), "model_size_mb": round(self.bytes / 2**20, 2),
            "fully_accelerated": None,
            "throughput_mb_s": round(mebibytes_read / (self.latency.avg_ms / 1e3), 2)}


def ratios(records, baseline: str) -> list[float | None]:
    """How many times as fast as the baseline each is; None where there is none at its length.

    The baseline of a length is the first record there of that name.
    """
    medians = {}
    for record in records:
        if record.name == baseline:
            medians.setdefault(record.length, record.latency.median_ms)
    return [medians[record.length] / record.latency.median_ms if record.length in medians else None
            for record in records]
