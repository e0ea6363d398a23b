"""PhoneRecord: one measured signature of a file, with everything that its numbers depend on."""

import dataclasses

from mobilebert_tf.export.benchmark.phone_properties import PhoneProperties
from mobilebert_tf.export.benchmark.timing import Timing


@dataclasses.dataclass(frozen=True, kw_only=True)
class PhoneRecord:
    """The latency of one signature of a file on a phone.

    Args:
      file: its path.
      recipe: how it was exported; None for a file that this project did not export.
      length: tokens of the inputs; None if the file does not say.
      threads: of the CPU kernels.
      timing: a `Timing`.
      phone: a `PhoneProperties`.
      bytes, model_sha256: of the file.
      tool_sha256: of the benchmark_model that ran it.
      date: ISO 8601 in UTC.
    """

    file: str
    recipe: str | None
    length: int | None
    threads: int
    timing: Timing
    phone: PhoneProperties
    bytes: int
    model_sha256: str
    tool_sha256: str
    date: str
