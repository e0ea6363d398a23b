"""Accents after a letter, which a tokenizer drops."""

import unicodedata


def end_with_marks(text: str, end: int) -> int:
    """Move the end of a part of a text behind the accents that follow it.

    The tokenizer drops these accents, so the offsets of a token end before them.

    Example:
      >>> end_with_marks("cafe\u0301 noir", 4)
      5
    """
    while end < len(text) and unicodedata.category(text[end]) == "Mn":
        end += 1
    return end
