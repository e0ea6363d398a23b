"""Columns: which columns of a table are a text, its label and its second text."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Columns:
    """Names of columns.

    Args:
      text: the one with the text, or the first of two texts.
      label: the one with the class or the number.
      pair: the one with the second text; None for single texts.
    """

    text: str
    label: str
    pair: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,) if self.pair is None else (self.text, self.pair)
