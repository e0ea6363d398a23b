"""Document: the sentences of a text, as ids."""

import dataclasses
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Document:
    """Sentences as ids without special tokens; excerpts of one document have the same key."""

    key: bytes
    sentences: Sequence[Sequence[int]]
