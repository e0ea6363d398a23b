"""ShippedFile: a file of a model to download."""

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class ShippedFile:
    """A file of a shipped model.

    Args:
      path: of the file.
      bytes: its size.
      recipe: of an exported file; None for an encoder's weights.
      metric, score: of the gate, on the dev set; None if no gate is recorded.
    """

    path: Path
    bytes: int
    recipe: str | None = None
    metric: str | None = None
    score: float | None = None
