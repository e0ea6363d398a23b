"""Column: a column of a `Table`."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Column:
    """A column's heading and layout.

    Args:
      heading: the heading; it may break at its spaces.
      rank: 0 for a column that is always shown. If the table is too wide, the column with the
        highest rank is left out first.
      words: whether cells are words, which are aligned left and may break. Numbers are aligned
        right and never break.
    """

    heading: str
    rank: int = 0
    words: bool = False
