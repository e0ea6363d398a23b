"""Write every_character.json: what the tokenizer does with every character, as checksums.

    python tests/golden/text/make_every_character.py

docs/tokenizers.md describes the file. It depends on the version of Unicode of the running Python.
"""

import hashlib
import json
import sys
import unicodedata
from pathlib import Path

from make_offsets import utf16_offsets

from mobilebert_tf import Tokenizer
from mobilebert_tf.text.characters import ranges
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

PATH = Path(__file__).with_name("every_character.json")
BLOCK = 1024
# X alone; inside a word; where it decides whether a sigma is a final one, behind it and before it;
# and among marks of the combining classes 226, 224, 216 and 9, which are sorted and stay.
PATTERNS = ("X", "aXb", "A\u03a3X", "X\u03a3", "a\U0001d16d\u302eX\U0001d165\u1b44b")
_SURROGATES = range(0xD800, 0xE000)
_DIGITS = 16


def content():
    """Return the file's content, as JSON values."""
    points = [point for point in range(sys.maxunicode + 1) if point not in _SURROGATES]
    pieces = [point for point in points if unicodedata.category(chr(point))[0] not in "CZ"]
    characters = list(map(chr, pieces))
    vocabulary = Vocabulary([*SPECIAL_PIECES, *characters,
                             *("##" + character for character in characters)])
    return {
        "unicode": unicodedata.unidata_version, "characters": ranges(pieces), "block": BLOCK,
        "patterns": PATTERNS,
        **{name: _checksums(Tokenizer(vocabulary, lower_case), points, set(pieces))
           for name, lower_case in (("lower_case", True), ("cased", False))}}


def _checksums(tokenizer, points, pieces):
    """Return the checksum of each block, by its first code point in hexadecimal."""
    blocks = {}
    for point in points:
        blocks.setdefault(point // BLOCK * BLOCK, []).append(point)
    return {f"{first:x}": _checksum(tokenizer, block) for first, block in blocks.items()
            if not pieces.isdisjoint(block)}


def _checksum(tokenizer, block):
    found = hashlib.sha256()
    for pattern in PATTERNS:
        text = " ".join(pattern.replace("X", chr(point)) for point in block)
        ids, offsets = tokenizer.encode_with_offsets(text)
        for id_, start, end in zip(ids, *utf16_offsets(text, offsets), strict=True):
            found.update(f"{id_} {start} {end}\n".encode())
    return found.hexdigest()[:_DIGITS]


if __name__ == "__main__":
    PATH.write_text(json.dumps(content(), separators=(",", ":")) + "\n")
