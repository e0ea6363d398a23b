"""Measurement: what the runs of one model gave."""

import dataclasses

from mobilebert_tf.export.benchmark.latency import Latency


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The times of one model, and what its worker found in the file."""

    latency: Latency
    length: int
    signature: str | None
    input_bytes: int
    peak_memory_mb: float | None
