import unicodedata

import pytest

from mobilebert_tf.data.datasets import conll as tagging
from mobilebert_tf.text import words
from mobilebert_tf.text.tokenizer import Tokenizer


@pytest.mark.parametrize(("text", "expected"), [
    ("Ann lives in New York.", "Ann|lives|in|New|York|."),
    ("  a\tb\n\u00a0c\u3000d  ", "a|b|c|d"),
    ("It's the men\u2019s, isn't it?", "It|'s|the|men|\u2019s|,|isn|'t|it|?"),
    ("'Paris' \"Rome\" (Oslo)", "'|Paris|'|\"|Rome|\"|(|Oslo|)"),
    ("Osc-Dis 3.5 12,000 AT&T www.a.org x_y", "Osc-Dis|3.5|12,000|AT&T|www.a.org|x_y"),
    ("Rome,Oslo a- -b 1,a", "Rome|,|Oslo|a|-|-|b|1|,|a"),
    ("the U.S. and J.R.R. Tolkien. B. x.y.z", "the|U.S.|and|J.R.R.|Tolkien|.|B|.|x.y.z"),
    ("@ann #Rome @ #", "@ann|#Rome|@|#"),
    ("Wait... what?! --", "Wait|...|what|?|!|--"),
    ("$5 5% \u20ac5 \U0001f600\U0001f600ok", "$|5|5|%|\u20ac|5|\U0001f600\U0001f600|ok"),
    # Letters with marks apart, as in decomposed Latin and in Hindi, and zero-width characters.
    ("Sa\u0303o-Tome\u0301 \u0939\u093f\u0928\u094d\u0926\u0940 a\u200bb",
     "Sa\u0303o-Tome\u0301|\u0939\u093f\u0928\u094d\u0926\u0940|a\u200bb"),
    ("in\u6771\u6771\u4eacok", "in|\u6771|\u6771|\u4eac|ok"),
    ("\u0130stanbul", "\u0130stanbul"),
    ("", ""),
    (" \n", ""),
])
def test_words(text, expected):
    found, offsets = words.split(text)
    assert found == (expected.split("|") if expected else [])
    assert [text[start:end] for start, end in offsets] == found


def test_no_character_but_white_space_is_lost():
    text = "".join(map(chr, range(0x3000))) + "\ue000\ue000a\ufeff\U0001f600\udcff"
    found, offsets = words.split(text)
    assert "".join(found) == "".join(text.split())
    assert offsets == sorted(offsets)


def test_only_symbols_are_cut_off_where_the_tokenizer_does_not(shared_data):
    tokenizer = Tokenizer(shared_data / "vocab" / "vocab.txt")
    path = shared_data / "text" / "wikipedia" / "wiki_paragraphs_train.txt"
    text = path.read_text(encoding="utf-8")[:300_000]
    # To the tokenizer a symbol outside ASCII is a letter; to the files' makers it is a word.
    text = "".join(" " if unicodedata.category(character)[0] == "S" and not character.isascii()
                   else character for character in text)
    found, _ = words.split(text)
    assert len(found) > 40_000
    pieces = [piece for ids in tokenizer.encode_texts(found) for piece in ids]
    assert pieces == tokenizer.encode(text)


@pytest.mark.parametrize(("name", "all_words", "in_entities"), [
    ("restaurant/test.bio", 1, 1),
    ("wnut17/emerging.dev.conll", 0.99, 0.99),
    ("wnut17/emerging.test.annotated", 0.97, 0.99),
    ("wikigold/wikigold.conll.txt", 0.98, 0.98),
])
def test_words_of_published_files_stay_whole(shared_data, name, all_words, in_entities):
    whole = {True: [], False: []}
    for sentence in tagging.read(shared_data / "tagging" / name):
        text = " ".join(sentence.words)
        offsets = set(words.split(text)[1])
        start = 0
        for word, tag in zip(sentence.words, sentence.tags, strict=True):
            whole[tag != "O"].append((start, start + len(word)) in offsets)
            start += len(word) + 1
    assert sum(whole[True] + whole[False]) >= all_words * len(whole[True] + whole[False])
    assert sum(whole[True]) >= in_entities * len(whole[True])
