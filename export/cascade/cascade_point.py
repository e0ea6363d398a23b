"""CascadePoint: what one way to answer costs, and how it scores."""

import dataclasses


@dataclasses.dataclass(frozen=True, kw_only=True)
class CascadePoint:
    """One way to answer the half of the dev set that chose nothing.

    Args:
      threshold: of the cascade; None for a file alone.
      asked: share of the examples for which the second file runs.
      score: the task's metric; 1 is perfect.
      mean_ms: mean latency of an example, without tokenization.
    """

    threshold: float | None
    asked: float
    score: float
    mean_ms: float
