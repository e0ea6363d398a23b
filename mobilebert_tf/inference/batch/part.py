"""Part: the lines of a file that become one shard."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Part:
    """Consecutive lines of a file.

    Args:
      number: which part it is, counted from 0.
      path: the file.
      name: what ids and messages call the file.
      start: first byte.
      stop: the byte after the last; a line ends there.
      first_line: number of the first line, counted from 1.
      lines: how many.
    """

    number: int
    path: str
    name: str
    start: int
    stop: int
    first_line: int
    lines: int
