"""Splitting raw text into words, as in the files that taggers are trained on."""

import re
import unicodedata

from mobilebert_tf.text.characters import is_han

_HAN = "\ue000"
_WORD = re.compile(rf"""
    {_HAN}
  | (?:[^\W\d_]\.){{2,}}(?!\w)          # U.S.
  | [@#]?\w+                            # @name, #topic
    (?:(?:[-.&]|(?<=\d),(?=\d))\w+)*    # Osc-Dis, 3.5, AT&T, 12,000
  | (?<=\w)['’]\w+                      # 's of it's
  | ([^\w\s])\1*                        # !!!
""", re.VERBOSE)


def split(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the words, and (start, end) of each in characters of the text.

    Words are those of CoNLL's files. Hyphens, points and ampersands stay inside a word. A clitic
    ('s) and every other punctuation mark or symbol are words of their own; a repeated one (...) is
    one word. Accents and zero-width characters belong to the word around them. A Han character is
    a word.

    Example:
      >>> split("Anna's in São-Tomé!")
      (['Anna', "'s", 'in', 'São-Tomé', '!'], [(0, 4), (4, 6), (7, 9), (10, 18), (18, 19)])
    """
    shape = text
    if not text.isascii():
        shape = text.translate({ord(character): _shape(character) for character in set(text)})
    spans = [match.span() for match in _WORD.finditer(shape)]
    return [text[start:end] for start, end in spans], spans


def _shape(character):
    """Return the character that `_WORD` gets in place of a character."""
    if is_han(character):
        return _HAN
    category = unicodedata.category(character)
    return "a" if category[0] == "M" or category == "Cf" else character
