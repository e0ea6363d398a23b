import gzip

import pytest

from mobilebert_tf.data.datasets import conll as tagging
from mobilebert_tf.data.datasets.conll import TaggedSentence
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.entities import spans


@pytest.fixture
def read(tmp_path):
    def read(content, labels=None):
        path = tmp_path / "train.conll"
        path.write_text(content, encoding="utf-8", newline="")
        return tagging.read(path, labels)

    return read


PARIS = (TaggedSentence(("in", "New", "York"), ("O", "B-LOC", "I-LOC")),
         TaggedSentence(("Ann",), ("B-PER",)))


@pytest.mark.parametrize("content", [
    "in O\nNew B-LOC\nYork I-LOC\n\nAnn B-PER\n",
    # Tabs, Windows line ends, white space at the ends of lines, empty lines anywhere.
    "\r\n\r\nin\tO\r\nNew  B-LOC \r\nYork\tI-LOC\r\n\t\r\n \r\nAnn\tB-PER",
    "O\tin\nB-LOC\tNew\nI-LOC\tYork\n\nB-PER\tAnn\n",
    "\ufeff-DOCSTART- -X- -X- O\n\nin IN B-PP O\nNew NNP B-NP B-LOC\nYork NNP I-NP I-LOC\n"
    "-DOCSTART- O\nAnn NNP B-NP B-PER\n\n",
    # IOB1: B- only between entities of one type.
    "in O\nNew I-LOC\nYork I-LOC\n\nAnn I-PER\n",
    "O in\nI-LOC New\nI-LOC York\n\nI-PER Ann\n",
])
def test_layouts_and_schemes_give_the_same_sentences(read, content):
    assert read(content) == PARIS


def test_a_gzip_file_is_read_as_the_file_in_it(tmp_path):
    path = tmp_path / "train.bio.gz"
    path.write_bytes(gzip.compress(b"in O\nNew B-LOC\nYork I-LOC\n\nAnn B-PER\n"))
    assert tagging.read(path) == PARIS


def test_iob1_becomes_iob2(read):
    iob1 = "a I-X\nb I-X\nc B-X\nd I-X\ne I-Y\nf I-X\ng O\nh I-Y\n\ni I-Y\n"
    assert [sentence.tags for sentence in read(iob1)] == [
        ("B-X", "I-X", "B-X", "I-X", "B-Y", "B-X", "O", "B-Y"), ("B-Y",)]
    # The same with B- throughout is IOB2, and stays.
    iob2 = "a B-X\nb I-X\nc B-X\nd I-X\ne B-Y\nf B-X\ng O\nh B-Y\n\ni B-Y\n"
    assert read(iob2) == read(iob1)


def test_words_are_separated_at_tabs_and_spaces_only(read):
    (sentence,) = read("a\u00a0b O\n\u200b O\n\u2028 O\nS-Bahn B-X\nO B-X\n")
    assert sentence.words == ("a\u00a0b", "\u200b", "\u2028", "S-Bahn", "O")


def test_a_file_without_entities_is_read(read):
    assert read("a O\nb O\n") == (TaggedSentence(("a", "b"), ("O", "O")),)


@pytest.mark.parametrize(("content", "message"), [
    ("a O\n\nb\n", r"train.conll, line 3 has one column, 'b'; it should have a word and its tag"),
    ("a O\nb\tO\tO\n", r"train.conll, line 2 has 3 columns, line 1 has 2"),
    ("-DOCSTART- O\n\na X O\nb O\n", r"train.conll, line 4 has 2 columns, line 3 has 3"),
    ("", r"train.conll has no sentences"),
    ("\n-DOCSTART-\n\n", r"train.conll has no sentences"),
    ("the DT\nO NN\ndog NN\n", r"train.conll: no column holds tags"),
    ("O O\nB-X O\n", r"train.conll: both columns hold O, B-type or I-type"),
    ("a O\nb B-X\nc E-X\nd S-X\n",
     r"train.conll, line 3: 'c' has the tag 'E-X'; tags are O, B-type and I-type; write"),
    ("a O\nb U-X\n", r"train.conll, line 2: 'b' has the tag 'U-X'"),
    ("a O\nb O\nc B-\n", r"train.conll, line 3: 'c' has the tag 'B-'"),
    ("a NN O\nb NN\tNP\n", r"train.conll, line 2: 'b' has the tag 'NP'"),
    # In a file of IOB2, I- after O, after another type, and at the start of a sentence.
    ("a B-X\nb O\nc I-X\n", r"line 3: 'c' begins an entity with I-X, and on line 1 'a' begins one "
                            r"with B-X; begin all with B-"),
    ("a B-X\nb I-Y\n", r"train.conll, line 2: 'b' begins an entity with I-Y"),
    ("a B-X\n\nb I-X\n", r"train.conll, line 3: 'b' begins an entity with I-X"),
    # In a file of IOB1, a B- that no entity of its type goes before; the rarer one is blamed.
    ("a I-X\n\nb I-X\nc B-Y\n", r"train.conll, line 4: 'c' begins an entity with B-Y, and on line "
                                r"1 'a' begins one with I-X"),
])
def test_bad_files_are_named_by_line(read, content, message):
    with pytest.raises(InputError, match=message):
        read(content)


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "some.conll"
    path.write_bytes(b"a O\nb\xff O\n")
    with pytest.raises(InputError, match=r"some.conll, line 2 is not UTF-8"):
        tagging.read(path)


def test_labels_are_o_and_both_tags_of_every_type(tmp_path):
    paths = [tmp_path / name for name in ("a.bio", "b.bio", "c.bio")]
    for path, content in zip(paths, ("a B-person\nb I-person\n", "c B-creative-work\nd O\n",
                                     "a O\n"), strict=True):
        path.write_text(content)
    assert tagging.find_labels(paths) == (
        "O", "B-creative-work", "I-creative-work", "B-person", "I-person")
    with pytest.raises(InputError, match=r"every word of .*c\.bio, .*c\.bio has the tag O"):
        tagging.find_labels(paths[2:] * 2)


def test_a_tag_that_was_not_learned_is_named(read):
    labels = ("O", "B-X", "I-X")
    assert read("a I-X\nb O\n", labels)[0].tags == ("B-X", "O")
    with pytest.raises(InputError, match=r"train.conll, line 3: 'c' has the tag B-Y, which is "
                                         r"not one of O, B-X, I-X"):
        read("a I-X\n\nc I-Y\n", labels)


# Counted by awk, apart from this code; Wikigold is IOB1: its I-type that follow another tag.
@pytest.mark.parametrize(("name", "sentences", "words", "entities"), [
    ("restaurant/train.bio", 6_894, 63_533, 13_858),
    ("restaurant/valid.bio", 766, 6_992, 1_505),
    ("restaurant/test.bio", 1_521, 14_256, 3_151),
    ("wnut17/wnut17train.conll", 3_394, 62_730, 1_975),
    ("wnut17/emerging.dev.conll", 1_009, 15_733, 836),
    ("wnut17/emerging.test.annotated", 1_287, 23_394, 1_079),
    ("wikigold/wikigold.conll.txt", 1_696, 39_007, 3_558),
])
def test_published_files(shared_data, name, sentences, words, entities):
    found = tagging.read(shared_data / "tagging" / name)
    assert len(found) == sentences
    assert sum(len(sentence.words) for sentence in found) == words
    assert sum(tag[0] == "B" for sentence in found for tag in sentence.tags) == entities
    assert sum(len(spans(sentence.tags)) for sentence in found) == entities


def test_published_iob1_file_has_the_same_entities_in_iob2(shared_data):
    path = shared_data / "tagging" / "wikigold" / "wikigold.conll.txt"
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    raw = [[line.split()[1] for line in block.splitlines()] for block in blocks
           if block.strip() and not block.startswith("-DOCSTART-")]
    assert not any(tag[0] == "B" for tags in raw for tag in tags)
    found = tagging.read(path)
    assert [spans(tags) for tags in raw] == [spans(sentence.tags) for sentence in found]
