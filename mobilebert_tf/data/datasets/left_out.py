"""LeftOut: a row of a table that is none of the examples."""

from typing import NamedTuple


class LeftOut(NamedTuple):
    """A row that was left out.

    Args:
      file: as it was named.
      line: on which the row begins.
      reason: what the row has: "no text or no label".
    """

    file: str
    line: int
    reason: str
