"""BadRow: a row that got no answer, and why."""

import dataclasses

_SHOWN_CHARACTERS = 200


@dataclasses.dataclass(frozen=True)
class BadRow:
    """A row that is set aside.

    Args:
      id: of the row.
      place: where it is, such as "reviews.txt, line 3".
      counter: under which it is counted, such as "not_utf8".
      reason: a sentence for people.
      text: the row, or its beginning.
    """

    id: str
    place: str
    counter: str
    reason: str
    text: str

    def to_json(self) -> dict:
        return {"id": self.id, "place": self.place, "reason": self.reason,
                "text": self.text[:_SHOWN_CHARACTERS]}
