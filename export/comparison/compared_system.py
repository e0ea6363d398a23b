"""ComparedSystem: one system of the field, counted and measured."""

import dataclasses

from mobilebert_tf.export.benchmark.record import BenchmarkRecord
from mobilebert_tf.export.comparison import systems as field


@dataclasses.dataclass(frozen=True)
class ComparedSystem:
    """One system, counted and measured.

    Args:
      name: in `systems.SYSTEMS`.
      system: the `System`.
      parameters: of its encoder, without heads.
      flops: of its encoder for one sequence.
      bytes: of our file; None if this machine cannot make it.
      records: threads -> `BenchmarkRecord` of our file; empty if it was not measured.
    """

    name: str
    system: field.System
    parameters: int
    flops: int
    bytes: int | None
    records: dict[int, BenchmarkRecord]
