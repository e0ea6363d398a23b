"""The character classes hold exactly the code points that Google's rules name."""

import re
import sys
import unicodedata

import pytest

from mobilebert_tf.text.characters import is_han, is_removed, regex_classes

EVERY_CHARACTER = [chr(point) for point in range(sys.maxunicode + 1)]


def members(name):
    pattern = re.sub(r"\\x\{([0-9A-F]+)\}", lambda match: f"\\U{int(match[1], 16):08x}",
                     regex_classes()[name])
    return set(re.findall(pattern, "".join(EVERY_CHARACTER)))


@pytest.fixture(scope="module")
def categories():
    by_category = {}
    for character in EVERY_CHARACTER:
        by_category.setdefault(unicodedata.category(character), set()).add(character)
    return by_category


def test_removed(categories):
    removed = (categories["Cc"] | categories["Cf"] | {"\ufffd"}) - set("\t\n\r")
    assert members("removed") == removed
    assert {character for character in EVERY_CHARACTER if is_removed(character)} == removed


def test_whitespace_is_what_separates_words_once_controls_are_gone(categories):
    split = {character for character in EVERY_CHARACTER if not character.split()}
    assert members("whitespace") == (split - categories["Cc"]) | set("\t\n\r")


def test_accent(categories):
    assert members("accent") == categories["Mn"]


def test_isolated(categories):
    punctuation = {c for name in categories if name.startswith("P") for c in categories[name]}
    ascii_symbols = {chr(point) for point in range(33, 127) if not chr(point).isalnum()}
    han = {character for character in EVERY_CHARACTER if is_han(character)}
    assert members("isolated") == punctuation | ascii_symbols | han


@pytest.mark.parametrize(("character", "expected"), [
    ("\u33ff", False), ("\u3400", True), ("\u4dc0", False), ("\u9fff", True), ("\ua000", False),
    ("\uf900", True), ("\ufaff", True), ("\ufb00", False), ("\U0002a6df", True),
    ("\U0002a6e0", False), ("\U0002b820", True), ("\U0002ceaf", True), ("\U0002ceb0", False),
    ("\U0002fa1f", True), ("\U00030000", False), ("가", False), ("カ", False),
])
def test_han_ranges_are_those_of_google(character, expected):
    assert is_han(character) is expected
