"""Answer: a slice of a text that answers a question."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Answer:
    """A slice of a context: its text, and its start in characters of the context."""

    text: str
    start: int
