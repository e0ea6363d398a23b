"""Column: a column of a `Table`."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Column:
    """A heading, and what may become of the column where there is little room.

    Args:
      heading: may break at its spaces.
      rank: 0 for a column that always stays; of the others the highest leaves first.
      words: whether cells are words, which stand on the left and may break; numbers may not.
    """

    heading: str
    rank: int = 0
    words: bool = False
