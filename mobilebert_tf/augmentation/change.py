"""Change: a word that an augmentor puts into a text."""

from typing import NamedTuple


class Change(NamedTuple):
    """A word instead of the characters from `start` to `end` of a text."""

    start: int
    end: int
    word: str
