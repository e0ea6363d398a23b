"""Row: a text to be run, with its id."""

import dataclasses
from typing import Any

import msgspec

from mobilebert_tf.inference.batch.bad_row import BadRow


@dataclasses.dataclass(frozen=True)
class Row:
    """A text, or a pair of texts.

    Args:
      id: of the file, else "NAME:LINE".
      place: where it is, such as "reviews.txt, line 3".
      text: the text, or the first of two.
      second_text: None for single texts.
      label: as it stands in a .jsonl file, a JSON value; msgspec.UNSET if there is none.
    """

    id: str
    place: str
    text: str
    second_text: str | None = None
    label: Any = msgspec.UNSET

    @property
    def characters(self) -> int:
        return len(self.text) + len(self.second_text or "")

    def bad(self, counter: str, reason: str) -> BadRow:
        """Return the row as one that is set aside."""
        return BadRow(self.id, self.place, counter, reason, self.text)
