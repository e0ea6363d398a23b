"""TextRecord: one file measured on texts, with everything that its numbers depend on."""

import dataclasses


@dataclasses.dataclass(frozen=True, kw_only=True)
class TextRecord:
    """The latency of one file over texts, measured in one run beside others.

    Args:
      model: name of the file.
      name: the same without its suffix.
      recipe: how it was exported.
      lengths: tokens of its signatures.
      runs_by_length: number of texts that ran at each length.
      texts: number of texts.
      num_threads: of the CPU kernels.
      mean_ms, median_ms, p95_ms: times of one text, without tokenization.
      baseline: name of the file that it is compared with.
      equal_predictions: share of texts with the same class as the baseline; None if either is no
        classifier.
      bytes: size of the file.
      machine, versions, date, command: as in `BenchmarkRecord`.
    """

    model: str
    name: str
    recipe: str
    lengths: tuple[int, ...]
    runs_by_length: dict[int, int]
    texts: int
    num_threads: int
    mean_ms: float
    median_ms: float
    p95_ms: float
    baseline: str
    equal_predictions: float | None
    bytes: int
    machine: str
    versions: dict[str, str]
    date: str
    command: str
