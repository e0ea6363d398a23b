import pytest

from mobilebert_tf.data.datasets import conll as tagging
from mobilebert_tf.data.features.tagged_tokens import (
    TokenWindow,
    by_word,
    windows,
    word_tags,
)
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

CLS, SEP, IN, NEW, YO, RK = 2, 3, 5, 6, 7, 8
LABELS = ("O", "B-X", "I-X")


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer(Vocabulary(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                 "in", "new", "yo", "##rk", "."]))


def test_the_first_piece_of_a_word_is_asked_for(tokenizer):
    assert windows(["in", "New", "York"], tokenizer, length=9, labels=LABELS,
                   tags=["O", "B-X", "I-X"]) == [TokenWindow(
                       ids=(CLS, IN, NEW, YO, RK, SEP),
                       labels=(-1, 0, 1, 2, -1, -1), words=(-1, 0, 1, 2, -1, -1))]


def test_without_tags_only_words_are_known(tokenizer):
    (window,) = windows(["York", "in"], tokenizer, length=9)
    assert window == TokenWindow((CLS, YO, RK, IN, SEP), (-1,) * 5, (-1, 0, -1, 1, -1))


def test_words_without_pieces_are_in_no_window_and_are_o(tokenizer):
    words = ["\u200b", "in", "\u0301", "York"]
    (window,) = windows(words, tokenizer, length=9, tags=["B-X", "O", "I-X", "B-X"], labels=LABELS)
    assert window == TokenWindow((CLS, IN, YO, RK, SEP), (-1, 0, 1, -1, -1), (-1, 1, 3, -1, -1))
    assert word_tags([window], [[2, 1, 2, 1, 1]], LABELS, 4) == ["O", "B-X", "O", "I-X"]


@pytest.mark.parametrize("words", [[], ["\u200b"]])
def test_nothing_to_read_is_a_window_of_nothing(tokenizer, words):
    found = windows(words, tokenizer, length=9)
    assert found == [TokenWindow((CLS, SEP), (-1, -1), (-1, -1))]
    assert word_tags(found, [[1, 1]], LABELS, len(words)) == ["O"] * len(words)


def test_long_sentences_are_cut_between_words(tokenizer):
    words = ["in", "York", "York", "New", "in", "York"]
    tags = ["O", "B-X", "I-X", "I-X", "O", "B-X"]
    found = windows(words, tokenizer, length=5, tags=tags, labels=LABELS)
    assert [window.ids for window in found] == [
        (CLS, IN, YO, RK, SEP), (CLS, YO, RK, NEW, SEP), (CLS, IN, YO, RK, SEP)]
    assert [window.words for window in found] == [
        (-1, 0, 1, -1, -1), (-1, 2, -1, 3, -1), (-1, 4, 5, -1, -1)]
    assert [window.labels for window in found] == [
        (-1, 0, 1, -1, -1), (-1, 2, -1, 2, -1), (-1, 0, 1, -1, -1)]
    # Exactly full is one window.
    assert len(windows(words, tokenizer, length=11)) == 1
    assert len(windows(words, tokenizer, length=10)) == 2


@pytest.mark.parametrize("length", range(3, 14))
def test_the_tags_of_all_words_come_back_at_every_length(tokenizer, length):
    words = ["York", ".", "in", "\u200b", "York.York", "New", "York"]
    tags = ["B-X", "I-X", "O", "O", "B-X", "I-X", "B-X"]
    found = windows(words, tokenizer, length=length, tags=tags, labels=LABELS)
    assert max(len(window.ids) for window in found) <= length
    # As a model gives them: an answer at every position, padding too; 2 where nobody asks.
    answers = [[2 if label == -1 else label for label in window.labels] + [2] * 4
               for window in found]
    assert word_tags(found, answers, LABELS, len(words)) == tags


def test_a_word_longer_than_a_window_keeps_what_fits(tokenizer):
    found = windows(["in", "York." * 9, "New"], tokenizer, length=6, labels=LABELS,
                    tags=["O", "B-X", "I-X"])
    assert [window.words for window in found] == [
        (-1, 0, -1), (-1, 1, -1, -1, -1, -1), (-1, 2, -1)]
    assert found[1].ids == (CLS, YO, RK, 9, YO, SEP)


def test_values_are_taken_at_first_pieces(tokenizer):
    found = windows(["in", "\u200b", "York", "New"], tokenizer, length=5)
    assert by_word(found, [[.1, .2, .3, .4, .5], [.6, .7, .8, .9]], 4, missing=1.0) == [
        .2, 1.0, .3, .7]
    with pytest.raises(ValueError, match="5 tokens. Received: 4"):
        by_word(found, [[.1, .2, .3, .4], [.6, .7, .8]], 4, missing=1.0)
    with pytest.raises(ValueError, match="shorter"):
        by_word(found, [[.1, .2, .3, .4, .5]], 4, missing=1.0)


def test_bad_input(tokenizer):
    with pytest.raises(InputError, match=r"a length of 2 is too small.* take 3"):
        windows(["in"], tokenizer, length=2)
    with pytest.raises(InputError, match="the tag 'B-Y' is not one of O, B-X, I-X"):
        windows(["in"], tokenizer, length=9, tags=["B-Y"], labels=LABELS)
    with pytest.raises(ValueError, match="shorter"):
        windows(["in", "in"], tokenizer, length=9, tags=["O"], labels=LABELS)


def test_windows_of_a_published_file_are_those_of_the_tokenizers_library(shared_data):
    """Its own BERT tokenizer says which word a piece is of; on ASCII it has Google's rules."""
    from tokenizers import BertWordPieceTokenizer

    vocabulary = str(shared_data / "vocab" / "vocab.txt")
    reference = BertWordPieceTokenizer(vocabulary, lowercase=True)
    ours = Tokenizer(vocabulary)
    path = shared_data / "tagging" / "wikigold" / "wikigold.conll.txt"
    sentences, labels = tagging.read(path), tagging.find_labels([path])
    compared = 0
    for sentence in sentences:
        if not "".join(sentence.words).isascii():
            continue
        (window,) = windows(sentence.words, ours, length=512, tags=sentence.tags, labels=labels)
        expected = reference.encode(list(sentence.words), is_pretokenized=True)
        assert list(window.ids) == expected.ids
        places = {expected.word_ids.index(word): word for word in range(len(sentence.words))}
        assert window.words == tuple(places.get(place, -1) for place in range(len(window.ids)))
        assert window.labels == tuple(
            labels.index(sentence.tags[places[place]]) if place in places else -1
            for place in range(len(window.ids)))
        compared += 1
    assert compared > 1_500
