"""The tokenizer gives what Google's gives, and says where in the text each piece was."""

import functools
import json
import pathlib
import pickle
import random
import re
import sys
import unicodedata

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.characters import is_han
from mobilebert_tf.text.packing import encode_batch
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "text"
CASES = json.loads((GOLDEN / "google_tokenization.json").read_text(encoding="utf-8"))["cases"]
PUBLISHED_VOCABULARY = (
    pathlib.Path(__file__).parents[3] / "shared" / "data" / "vocab" / "vocab.txt")
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.fixture(scope="module", params=[True, False], ids=["lower_case", "cased"])
def tokenizer(request):
    return Tokenizer(GOLDEN / "vocab.txt", lower_case=request.param)


def small(*pieces, lower_case=True):
    return Tokenizer(Vocabulary([*SPECIAL, *pieces]), lower_case)


@functools.cache
def cleaned(character):
    category = unicodedata.category(character)
    if character in "\t\n\r" or category == "Zs":
        return " "
    if is_han(character):
        return f" {character} "
    return "" if category in ("Cc", "Cf") or character == "\ufffd" else character


@functools.cache
def spaced(character):
    is_punctuation = unicodedata.category(character).startswith("P") or character in "$+<=>^`|~"
    return f" {character} " if is_punctuation else character


def reference_pieces(text, lower_case, known):
    """Google's rules, one after the other, for a vocabulary of single characters."""
    pieces = []
    for word in "".join(map(cleaned, text)).split():
        if lower_case:
            word = "".join(character for character in unicodedata.normalize("NFD", word.lower())
                           if unicodedata.category(character) != "Mn")
        for part in "".join(map(spaced, word)).split():
            if set(part) <= known:
                pieces += [part[0], *("##" + character for character in part[1:])]
            else:
                pieces.append("[UNK]")
    return pieces


def varied(point):
    """Thins out the long runs of Han, Hangul, Tangut and private characters, which are alike."""
    return (point < 0x3400 or 0xA000 <= point < 0xAC00 or 0xF900 <= point < 0x17000
            or 0x18B00 <= point < 0x20000 or 0xE0000 <= point < 0xE0200 or point % 97 == 0)


POINTS = [point for point in range(sys.maxunicode + 1) if varied(point)]


@pytest.fixture(scope="module")
def single_characters():
    return [chr(point) for point in POINTS if chr(point).split()
            and unicodedata.category(chr(point)) not in ("Cn", "Cs")]


@pytest.fixture(scope="module")
def of_single_characters(single_characters):
    """lower_case -> a tokenizer whose pieces are single characters."""
    return functools.cache(lambda lower_case: small(
        *single_characters, *("##" + c for c in single_characters), lower_case=lower_case))


def test_gives_googles_pieces_and_ids_on_the_golden_texts(tokenizer):
    cases = [case for case in CASES if case["lower_case"] == tokenizer.lower_case]
    assert len(cases) > 100
    for case in cases:
        assert tokenizer.tokenize(case["text"]) == case["pieces"], ascii(case["text"])
        assert tokenizer.encode(case["text"]) == case["ids"], ascii(case["text"])
    texts = [case["text"] for case in cases]
    assert tokenizer.encode_texts(texts) == [case["ids"] for case in cases]


@pytest.mark.parametrize("lower_case", [True, False])
@pytest.mark.parametrize("pattern", ["{}", "a{}b", "AΣ{}", "e{}\u0301Σ"])
def test_every_character_is_treated_by_googles_rules(
        single_characters, of_single_characters, lower_case, pattern):
    known, tokenizer = set(single_characters), of_single_characters(lower_case)
    texts = [pattern.format(chr(point)) for point in POINTS]
    pieces = tokenizer.vocabulary.pieces
    wrong = []
    for point, text, ids in zip(POINTS, texts, tokenizer.encode_texts(texts), strict=True):
        if [pieces[i] for i in ids] != reference_pieces(text, lower_case, known):
            wrong.append(f"U+{point:04X}")
    assert wrong == []


def run_of_marks(text, start, end):
    """The combining marks around a place; nothing where there are none."""
    if not all(unicodedata.combining(character) for character in text[start:end]):
        return start, start
    while start and unicodedata.combining(text[start - 1]):
        start -= 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return start, end


@pytest.mark.parametrize("lower_case", [True, False])
def test_random_mixtures_and_their_offsets(single_characters, of_single_characters, lower_case):
    known, tokenizer = set(single_characters), of_single_characters(lower_case)
    pieces = tokenizer.vocabulary.pieces
    generator = random.Random(7)
    unusual = "ΣΣςİıßẞﬁ½\u00ad\u200d\u0301\u0323\u2028\u0085\x1c\t\n\ufffd\x00\ud800中가각か゚[]'."
    for _ in range(4000):
        text = "".join(
            generator.choice([generator.choice("aBcDe"), " ", generator.choice(unusual),
                              generator.choice(single_characters)])
            for _ in range(generator.randrange(30)))
        expected = reference_pieces(text, lower_case, known)
        ids, offsets = tokenizer.encode_with_offsets(text)
        assert [pieces[i] for i in ids] == expected, ascii(text)
        assert [start for start, _ in offsets] == sorted(start for start, _ in offsets)
        for piece, (start, end) in zip(expected, offsets, strict=True):
            if piece == "[UNK]":
                continue
            bare = piece.removeprefix("##") if piece != "##" else piece
            again = "".join(reference_pieces(text[start:end], lower_case, known))
            # Alone, a sigma is not final; a syllable stands whole behind each of its letters.
            again = again.replace("##", "")
            assert len(again) <= 1 or end - start == 1, ascii((text, piece))
            # Marks that NFD puts in another order have the places of each other.
            marks = "".join(reference_pieces(text[slice(*run_of_marks(text, start, end))],
                                             lower_case, known)).replace("##", "")
            assert bare.replace("ς", "σ") in (again + marks).replace("ς", "σ"), ascii((text, piece))


@pytest.mark.parametrize(("text", "pieces", "offsets"), [
    ("Un-Able  able", ["un", "[UNK]", "able", "able"], [(0, 2), (2, 3), (3, 7), (9, 13)]),
    ("\u200bunable\n", ["un", "##able"], [(1, 3), (3, 7)]),
    ("u\u00adn", ["un"], [(0, 3)]),
    ("İ İun", ["i", "i", "##un"], [(0, 1), (2, 3), (3, 5)]),
    ("e\u0301un éun", ["e", "##un", "e", "##un"], [(0, 1), (2, 4), (5, 6), (6, 8)]),
    ("un中able", ["un", "中", "able"], [(0, 2), (2, 3), (3, 7)]),
    ("😀 un", ["[UNK]", "un"], [(0, 1), (2, 4)]),
    ("가un", ["\u1100", "##\u1161", "##un"], [(0, 1), (0, 1), (1, 3)]),
])
def test_offsets_are_in_characters_of_the_original(text, pieces, offsets):
    tokenizer = small("un", "able", "##able", "##un", "e", "i", "中", "\u1100", "##\u1161")
    ids, found = tokenizer.encode_with_offsets(text)
    assert [tokenizer.vocabulary.pieces[i] for i in ids] == pieces
    assert found == offsets


@pytest.mark.parametrize("text", ["", " ", "\t\r\n", "\u3000\u2028\u0085", "\x00\ufffd\u200b"])
def test_nothing_to_tokenize(tokenizer, text):
    assert tokenizer.tokenize(text) == []
    assert tokenizer.encode_with_offsets(text) == ([], [])


def test_special_pieces_in_a_text_are_ordinary_characters():
    tokenizer = small("[", "]", "mask", "cls")
    assert tokenizer.tokenize("[MASK] [CLS]") == ["[", "mask", "]", "[", "cls", "]"]


def test_words_up_to_200_characters_are_matched():
    tokenizer = small("a", "##a")
    assert tokenizer.tokenize("a" * 200) == ["a"] + ["##a"] * 199
    assert tokenizer.tokenize("a" * 201) == ["[UNK]"]
    assert tokenizer.encode_with_offsets("a" * 10_000) == ([1], [(0, 10_000)])


def test_a_lone_surrogate_makes_its_word_unknown():
    tokenizer = small("a", "##a", "b")
    ids, offsets = tokenizer.encode_with_offsets("a\ud800a b \udfff")
    assert (ids, offsets) == ([1, 7, 1], [(0, 3), (4, 5), (6, 7)])


def test_cased_texts_keep_case_and_accents():
    tokenizer = small("É", "e", "é", "E", "Σ", lower_case=False)
    assert tokenizer.tokenize("É e é E Σ") == ["É", "e", "é", "E", "Σ"]


def test_known_difference_in_the_order_of_new_marks():
    # A musical stem (class 216) before a Vietnamese mark of Unicode 13 (class 6).
    text, marks = "a\U0001d165\U00016ff0", ["##\U0001d165", "##\U00016ff0"]
    tokenizer = small("a", *marks)
    assert reference_pieces(text, True, set(text)) == ["a", *reversed(marks)]
    assert tokenizer.tokenize(text) == ["a", *marks]


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="a text must be a str. Received: bytes"):
        small("a").tokenize(b"a")


def test_a_pickled_tokenizer_tokenizes_alike(tokenizer):
    copy = pickle.loads(pickle.dumps(tokenizer))
    text = "Ünable, ΟΔΟΣ 中 Straße"
    assert copy.lower_case == tokenizer.lower_case
    assert copy.encode_with_offsets(text) == tokenizer.encode_with_offsets(text)


def test_published_vocabulary():
    if not PUBLISHED_VOCABULARY.exists():
        pytest.skip("the published BERT vocabulary is not beside the project")
    tokenizer = Tokenizer(PUBLISHED_VOCABULARY)
    assert len(tokenizer.vocabulary) == 30522
    assert tokenizer.encode("Hello, world! Unaffable MobileBERT") == [
        7592, 1010, 2088, 999, 14477, 20961, 3468, 4684, 8296]
    for piece in tokenizer.vocabulary.pieces:
        if re.fullmatch("[a-z0-9]+", piece):
            assert tokenizer.tokenize(piece) == [piece]


def test_one_text_is_no_list_of_its_letters():
    tokenizer = Tokenizer(Vocabulary([*SPECIAL, "a"]))
    with pytest.raises(InputError, match=r"texts is one text; give a list, such as \['a b'\]"):
        tokenizer.encode_texts("a b")
    with pytest.raises(InputError, match="texts is one text"):
        encode_batch(tokenizer, "a b", length=8)
