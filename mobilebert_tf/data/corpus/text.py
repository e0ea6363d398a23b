"""Text: a document of a corpus, or a part of one."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Text:
    """A document, or the part of one in an excerpt: paragraphs of lines."""

    key: bytes
    paragraphs: list[list[str]]
