"""The character classes of Google's tokenizer, taken from Python's `unicodedata`."""

import functools
import itertools
import unicodedata

# Han characters are words of their own (tokenization.py, _is_chinese_char).
HAN_RANGES = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
# ASCII symbols such as "$" and "^" count as punctuation although Unicode calls them symbols.
_ASCII_PUNCTUATION_RANGES = ((33, 47), (58, 64), (91, 96), (123, 126))
# Every character outside these ranges is a letter, a surrogate, private or unassigned, so it is in
# no class below. Skipping them makes the first look-up five times faster.
_RANGES_WITH_CLASSES = (
    range(0x3400),
    range(0xA000, 0xAC00),
    range(0xD7A4, 0xD800),
    range(0xF900, 0x17000),
    range(0x18B00, 0x20000),
    range(0xE0000, 0xE0200),
)


def is_removed(character):
    """Return whether Google's `_clean_text` drops the character: controls, formats and U+FFFD."""
    if character in "\t\n\r":
        return False
    return character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf")


def is_han(character):
    """Return whether the character is a Han character, a word of its own."""
    return any(first <= ord(character) <= last for first, last in HAN_RANGES)


@functools.cache
def class_ranges():
    """Return the classes as ranges of code points, both ends included.

    Returns:
        dict of list of (first, last), ascending: `removed` (dropped from the text), `whitespace`
        (separates words), `accent` (category Mn, stripped after NFD when lower-casing) and
        `isolated` (punctuation and Han characters, each a word of its own).
    """
    categories = {}
    for point in itertools.chain(*_RANGES_WITH_CLASSES):
        categories.setdefault(unicodedata.category(chr(point)), []).append(point)
    removed = {*categories["Cc"], *categories["Cf"], 0xFFFD} - {*map(ord, "\t\n\r")}
    # Google turns Zs into spaces; str.split, which follows, also splits at U+2028 and U+2029.
    whitespace = {*map(ord, "\t\n\r"), *categories["Zs"], *categories["Zl"], *categories["Zp"]}
    isolated = {point for name in categories if name[0] == "P" for point in categories[name]}
    for first, last in HAN_RANGES + _ASCII_PUNCTUATION_RANGES:
        isolated.update(range(first, last + 1))
    return {"removed": ranges(removed), "whitespace": ranges(whitespace),
            "accent": ranges(categories["Mn"]), "isolated": ranges(isolated)}


@functools.cache
def regex_classes():
    """Return `class_ranges` as regular expressions that Oniguruma and RE2 read alike.

    They list code points instead of `\\p{...}`: each engine has the Unicode version of its own
    release, and Google's tokenizer has that of the running Python.
    """
    return {name: "[" + "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in found) + "]"
            for name, found in class_ranges().items()}


def ranges(points):
    """Return code points as a list of (first, last), ascending, both ends included."""
    found = []
    for point in sorted(points):
        if found and found[-1][1] == point - 1:
            found[-1] = (found[-1][0], point)
        else:
            found.append((point, point))
    return found
