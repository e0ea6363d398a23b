"""Piece: consecutive lines of a file."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Piece:
    """Consecutive lines of a file.

    Args:
      path: the file.
      name: what ids and messages call the file.
      start: first byte.
      stop: the byte after the last; a line ends there.
      first_line: number of the first line, counted from 1.
      lines: how many.
    """

    path: str
    name: str
    start: int
    stop: int
    first_line: int
    lines: int

    @property
    def size(self) -> int:
        return self.stop - self.start
