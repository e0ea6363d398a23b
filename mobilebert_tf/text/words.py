"""Words of raw text, as the files that taggers learn from have them."""

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
    """Words, and (start, end) of each in characters of the text.

    Follows CoNLL's files in what is one word: hyphens, points and ampersands stay inside a word,
    a clitic ('s) and every other punctuation mark or symbol are words of their own, a repeated
    one (...) is one word. Accents and zero-width characters belong to the word that they stand
    in; a Han character is a word.

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
    """What stands for a character, one for one, to `_WORD`."""
    if is_han(character):
        return _HAN
    category = unicodedata.category(character)
    return "a" if category[0] == "M" or category == "Cf" else character
