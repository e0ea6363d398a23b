"""A client that follows the table's description tokenizes as `Tokenizer` does."""

import pathlib
import random
import sys
import unicodedata

import pytest

from mobilebert_tf.text.normalization_table import normalization_table
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "text"
RULES = {lower_case: normalization_table(lower_case) for lower_case in (True, False)}


class Client:
    """The steps that the table's docstring names, on (character, place in the text) pairs."""

    def __init__(self, table):
        lines = table.splitlines()
        assert lines[0] == "mobilebert-normalization 1"
        assert lines[-1] == "end"
        self.lower_case = {"lower_case true": True, "lower_case false": False}[lines[1]]
        self.members = {name: set() for name in (
            "removed", "whitespace", "isolated", "accent", "cased", "ignorable")}
        self.classes, self.lower, self.nfd = {}, {}, {}
        for line in lines[2:-1]:
            name, *numbers = line.split(" ")
            first, *rest = (int(number, 16) for number in numbers)
            points = range(first, (rest[0] if rest else first) + 1)
            if name in self.members:
                assert len(rest) <= 1
                self.members[name].update(map(chr, points))
            elif name == "class":
                self.classes.update((chr(point), rest[1]) for point in points)
            elif len(points) > 1:
                assert name == "lower"
                self.lower.update((chr(p), chr(rest[1] + p - first)) for p in points)
            else:
                getattr(self, name)[chr(first)] = "".join(map(chr, rest[1:]))

    def words(self, text):
        kept = [(character, place) for place, character in enumerate(text)
                if character not in self.members["removed"]]
        if self.lower_case:
            kept = self._ordered(self._decomposed(self._lowered(kept)))
            kept = [pair for pair in kept if pair[0] not in self.members["accent"]]
        words = [[]]
        for character, place in kept:
            if character in self.members["whitespace"]:
                words.append([])
            elif character in self.members["isolated"]:
                words += [[(character, place)], []]
            else:
                words[-1].append((character, place))
        return [word for word in words if word]

    def _lowered(self, kept):
        kept = list(kept)
        for index, (character, place) in enumerate(kept):
            lowered = self.lower.get(character, character)
            before = (kept[place] for place in range(index - 1, -1, -1))
            after = (kept[place] for place in range(index + 1, len(kept)))
            if character == "Σ" and self._meets_case(before) and not self._meets_case(after):
                lowered = "ς"
            for one in lowered:
                yield one, place

    def _meets_case(self, neighbours):
        for character, _ in neighbours:
            if character not in self.members["ignorable"]:
                return character in self.members["cased"]
        return False

    def _decomposed(self, pairs):
        """(character, place or None for all but the first of a decomposition)."""
        for character, place in pairs:
            syllable = ord(character) - 0xAC00
            if 0 <= syllable < 11172:
                letters = [0x1100 + syllable // 588, 0x1161 + syllable % 588 // 28]
                letters += [0x11A7 + syllable % 28] * (syllable % 28 > 0)
                decomposed = "".join(map(chr, letters))
            else:
                decomposed = self.nfd.get(character, character)
            yield decomposed[0], place
            yield from ((one, None) for one in decomposed[1:])

    def _ordered(self, pairs):
        """Sorted within runs; the places stay where they are, in their order."""
        pairs = list(pairs)
        places = iter([place for _, place in pairs if place is not None])
        run, found = [], []
        for pair in [*pairs, (" ", -1)]:
            if self.classes.get(pair[0], 0) == 0:
                found += sorted(run, key=lambda one: self.classes[one[0]])
                run = []
                found.append(pair)
            else:
                run.append(pair)
        last = None
        for character, place in found[:-1]:
            last = last if place is None else next(places)
            yield character, last


def check(tokenizer, client, text):
    """All characters are pieces, so that ids and places of all of them can be compared."""
    known = tokenizer.vocabulary.ids
    expected = []
    for word in client.words(text):
        names = [word[0][0], *("##" + character for character, _ in word[1:])]
        if len(word) > 200 or not all(name in known for name in names):
            expected.append((tokenizer.vocabulary.unk_id, (word[0][1], word[-1][1] + 1)))
        else:
            expected += [(known[name], (place, place + 1))
                         for name, (_, place) in zip(names, word, strict=True)]
    found = list(zip(*tokenizer.encode_with_offsets(text), strict=True))
    assert found == expected, ascii(text)


@pytest.fixture(scope="module")
def characters():
    return [chr(point) for point in range(sys.maxunicode + 1)
            if unicodedata.category(chr(point)) not in ("Cn", "Cs", "Co")
            and not 0x4E10 < point < 0x9F00 and not 0x17010 < point < 0x18A00
            and not 0x20010 < point < 0x2CE00]


@pytest.fixture(scope="module", params=[True, False], ids=["lower_case", "cased"])
def both(request, characters):
    """Tokenizer of single characters, and client."""
    single = [character for character in characters if character.split()]
    vocabulary = Vocabulary([*SPECIAL_PIECES, *single, *("##" + c for c in single)])
    return Tokenizer(vocabulary, request.param), Client(RULES[request.param])


def test_every_character_between_letters_and_beside_marks(both, characters):
    unassigned = [chr(point) for point in range(0, 0x20000, 7)
                  if unicodedata.category(chr(point)) in ("Cn", "Cs", "Co")]
    # Spaces and full stops keep the texts apart; a noncharacter is neither cased nor ignorable.
    for start in range(0, len(characters), 200):
        check(*both, "\uffff ".join(f"a{one}b" for one in characters[start:start + 200]))
        check(*both, "\uffff ".join(f"AΣ{one}" for one in characters[start:start + 200]))
    check(*both, "\uffff ".join(f"x {one} AΣ{one}" for one in unassigned))


def test_random_texts_of_unusual_characters(both, characters):
    tokenizer, client = both
    generator = random.Random(3)
    marks = [c for c in characters if unicodedata.combining(c)]
    not_stripped = [c for c in marks if unicodedata.category(c) != "Mn"]
    decomposable = [c for c in characters if unicodedata.decomposition(c)]
    unusual = ("ΣΣΣςİıßẞﬁ½\u00ad\u200d\u0301\u0323\u2028\u0085\x1c\t\n\ufffd\x00\ud800\udfff"
               "가각か゚[]'.Aa ")
    for _ in range(3000):
        check(tokenizer, client, "".join(
            generator.choice(generator.choice(
                [unusual, "aBcDe ", marks, not_stripped, decomposable, characters]))
            for _ in range(generator.randrange(25))))


def test_marks_in_another_order_have_the_places_of_each_other(both):
    # Musical stems and flags, a virama and accents; the first decomposes to three of them.
    check(*both, "\U0001d160\u1b44\u0301\u302e \u0130\u1b44 \U0001d165\U00016ff0\u0323\u1b44")


def test_the_table_is_the_same_every_time_and_ascii():
    assert normalization_table(True) == RULES[True]
    assert RULES[True].isascii()
    assert "\r" not in RULES[True]
    # The uncased tables say more, but not otherwise.
    common = set(RULES[False].splitlines()) - {"lower_case false"}
    assert common < set(RULES[True].splitlines())


@pytest.mark.parametrize("lower_case", [True, False])
def test_golden_tables_of_the_clients_are_these(lower_case):
    if unicodedata.unidata_version != "14.0.0":
        pytest.skip(f"this Python has Unicode {unicodedata.unidata_version}, the tables 14.0.0")
    name = f"normalization_{'lower_case' if lower_case else 'cased'}.txt"
    assert (GOLDEN / name).read_text() == RULES[lower_case]
