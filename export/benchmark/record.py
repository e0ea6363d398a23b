"""BenchmarkRecord: one measured file, with everything that its numbers depend on."""

import dataclasses

from mobilebert_tf.export.benchmark.latency import Latency


@dataclasses.dataclass(frozen=True, kw_only=True)
class BenchmarkRecord:
    """The latency, memory and size of one file, measured in one run beside others.

    Args:
      model: name of the file.
      accelerators: the processors that ran it.
      signature: the signature that ran; None for a file without signatures.
      num_threads: of the CPU kernels.
      latency: a `Latency`.
      input_bytes: bytes that a run reads.
      name: of the preset, of the peer, or of the given file.
      preset: None for a file that this run did not export.
      kind: of the model, such as classification; it and the next three are None if unknown.
      recipe: how it was exported.
      random_weights: whether the weights are untrained.
      peak_memory_mb: growth of a process that opens and runs the file, in 10^6 bytes.
      length: tokens of its inputs.
      bytes: size of the file.
      machine: processor, cores and system.
      versions: of the runtime, and of the packages that made the file. This project's version is
        the one that made the file. For a file of others it is the one that measured it.
      date: ISO 8601 in UTC.
      command: the command that makes the number again.
    """

    model: str
    accelerators: tuple[str, ...] = ("CPU",)
    signature: str | None
    num_threads: int
    latency: Latency
    input_bytes: int
    name: str
    preset: str | None
    kind: str | None
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
        """Return the record for JSON: every key of litert-benchmark, in its meaning, and ours.

        litert-benchmark gives `model_size_mb` and `throughput_mb_s` in 2^20 bytes.
        `fully_accelerated` is null: the interpreter does not tell, and no model that looks token
        ids up is on a CPU.
        """
        mebibytes_read = self.input_bytes / 2**20
        return {
            **dataclasses.asdict(self), "model_size_mb": round(self.bytes / 2**20, 2),
            "fully_accelerated": None,
            "throughput_mb_s": round(mebibytes_read / (self.latency.avg_ms / 1e3), 2)}


def ratios(records, baseline: str) -> list[float | None]:
    """Return how many times as fast as the baseline each record is.

    A record is compared with the first record that has the baseline's name and the same length. Its
    ratio is None if there is no such record.
    """
    medians = {}
    for record in records:
        if record.name == baseline:
            medians.setdefault(record.length, record.latency.median_ms)
    return [medians[record.length] / record.latency.median_ms if record.length in medians else None
            for record in records]
