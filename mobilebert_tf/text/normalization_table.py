"""The tokenizer's Unicode as a text file, for clients whose own Unicode is of another version."""

import sys
import unicodedata

from mobilebert_tf.text.basic_tokenizer import orders
from mobilebert_tf.text.characters import class_ranges, ranges

_HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)
_EVERY_CHARACTER = tuple(map(chr, range(sys.maxunicode + 1)))


def normalization_table(lower_case):
    r"""Return the Unicode data that a client needs to tokenize as `Tokenizer` does.

    Every line is a record of fields separated by spaces. After two header lines come ranges of
    code points: a class, the first code point, and the last unless it is the same. Numbers are
    hexadecimal, except the version. The last line is `end`, which shows that the file is complete.

        mobilebert-normalization 1     the format's version
        lower_case true                or false: then there are only removed, whitespace, isolated
        removed 0 8                    dropped from the text
        whitespace 20                  separates words
        isolated 21 2f                 a word of its own: punctuation and Han characters
        accent 300 34e                 stripped, after NFD
        cased 41 5a                    letters with case, for the final sigma
        ignorable 27                   what the final sigma looks past
        class 300 314 e6               canonical combining class of each, where it is not 0
        lower 41 5a 61                 lower case of the first; the next have the next
        lower 130 130 69 307           or, if one becomes two, both
        nfd e9 e9 65 301               full decomposition of a lower-case character
        end

    The steps, in this order: drop `removed`; replace by `lower`, but a capital sigma (U+03A3) by a
    final one (U+03C2) where the nearest character before it that is not `ignorable` is `cased` and
    the nearest after it is not; replace by `nfd`, Hangul syllables (U+AC00 to U+D7A3) by
    arithmetic; sort stably by `class` within runs of characters that have one; drop `accent`;
    split at `whitespace` and around `isolated`. A character in no range stays as it is.

    Source: tokenization.py of google-research/bert, with the Unicode of the running Python;
    combining classes are those that `Tokenizer` sorts by.

    Args:
      lower_case: bool, as of the tokenizer.

    Returns:
      str, ASCII, to be saved as it is; the same in every run of one version of Python.
    """
    classes = class_ranges()
    sections = {name: classes[name] for name in ("removed", "whitespace", "isolated")}
    if lower_case:
        sections |= {"accent": classes["accent"], **_sigma_ranges()}
    lines = ["mobilebert-normalization 1", f"lower_case {str(bool(lower_case)).lower()}"]
    for name, found in sections.items():
        lines += [_record(name, first, last) for first, last in found]
    if lower_case:
        lines += [*_combining_classes(), *_lower_cases(), *_decompositions()]
    return "\n".join([*lines, "end", ""])


def _record(name, first, last, *values):
    last = [last] if values or last != first else []
    return " ".join([name, *(f"{value:x}" for value in (first, *last, *values))])


def _sigma_ranges():
    """Return the classes by which Python's lower() makes a sigma final, found by trying it."""
    def is_final(before):
        return (before + "Σ").lower().endswith("ς")

    cased = [ord(character) for character in _EVERY_CHARACTER if is_final(character)]
    ignorable = [ord(character) for character in _EVERY_CHARACTER
                 if is_final("A" + character) and not is_final(character)]
    return {"cased": ranges(cased), "ignorable": ranges(ignorable)}


def _combining_classes():
    by_class = {}
    for character in _EVERY_CHARACTER:
        if unicodedata.combining(character) and orders(character):
            by_class.setdefault(unicodedata.combining(character), []).append(ord(character))
    for combining_class, points in sorted(by_class.items()):
        for first, last in ranges(points):
            yield _record("class", first, last, combining_class)


def _lower_cases():
    """Yield records; neighbours whose lower cases are neighbours share one."""
    found = []
    for character in _EVERY_CHARACTER:
        point, lowered = ord(character), list(map(ord, character.lower()))
        if lowered == [point]:
            continue
        if found:
            first, last, values = found[-1]
            if point == last + 1 and len(values) == 1 and lowered == [values[0] + point - first]:
                found[-1] = (first, point, values)
                continue
        found.append((point, point, lowered))
    for first, last, values in found:
        yield _record("lower", first, last, *values)


def _decompositions():
    for character in _EVERY_CHARACTER:
        decomposed = unicodedata.normalize("NFD", character)
        if (decomposed != character and character.lower() == character
                and ord(character) not in _HANGUL_SYLLABLES):
            yield _record("nfd", ord(character), ord(character), *map(ord, decomposed))
