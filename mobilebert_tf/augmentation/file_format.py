"""FileFormat: how augmented examples are written, for the task to read them again."""

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class FileFormat:
    """A text file of examples, as data.

    Args:
      record: an example -> its text. Raises InputError for one that the format cannot hold.
      head, separator, tail: what stands before the first record, between two, and after the last.
    """

    record: Callable[[Any], str]
    head: str = ""
    separator: str = ""
    tail: str = ""
