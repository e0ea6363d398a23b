"""PublishedTable: where published figures are from."""

import dataclasses
from typing import Literal


@dataclasses.dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """A published table.

    Args:
      name: as a reader cites it.
      where: its paper or page.
      split: of the data sets that its scores are of.
      columns: the tasks, in the table's order.
      average: the name in `averages.AVERAGES` of what it prints; None if it prints no average.
      speed: what its speeds are: the unit, the machine and how it ran. Empty if it prints none.
    """

    name: str
    where: str
    split: Literal["test", "dev"]
    columns: tuple[str, ...]
    average: str | None = None
    speed: str = ""
