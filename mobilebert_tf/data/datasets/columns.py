"""Columns: which columns of a table hold a text, its label and its second text."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Columns:
    """Names of a table's columns.

    Args:
      text: the column of the text, or of the first of two texts.
      label: the column of the class, the classes or the number.
      second_text: the column of the second text; None for single texts.
    """

    text: str
    label: str
    second_text: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,) if self.second_text is None else (self.text, self.second_text)
