import numpy as np
import pytest

from mobilebert_tf.augmentation import candidates
from mobilebert_tf.augmentation.eligible import is_eligible
from mobilebert_tf.augmentation.neighbours import Neighbours


def find(text, masked_lm, count=5, **options):
    neighbours = Neighbours(masked_lm.tokenizer.vocabulary, masked_lm.word_table)
    return candidates.find(text, masked_lm, neighbours, count, **options)


@pytest.mark.parametrize(("word", "eligible"), [
    ("film", True), ("Film", True), ("what", True), ("the", False), ("The", False), ("won", False),
    ("t", False), ("3rd", False), ("!", False), ("café", False), ("[UNK]", False), ("", False)])
def test_only_words_of_letters_that_are_no_stop_words_are_eligible(word, eligible):
    assert is_eligible(word) is eligible


def test_punctuation_numbers_and_stop_words_have_no_candidates(masked_lm):
    found = find("The 3rd FILM won't!", masked_lm)
    assert found.words == ("the", "3rd", "film", "won", "'", "t", "!")
    assert list(found.replacements) == [2]


def test_word_ends_and_special_pieces_are_no_candidates(masked_lm):
    assert find("film", masked_lm).replacements == {0: ["film", "movie", "story"]}
    assert find("film", masked_lm, count=3).replacements == {0: ["film", "movie"]}
    assert find("film", masked_lm, as_published=True).replacements == {
        0: ["film", "movie", "[UNK]", "story"]}


def test_the_masks_of_a_text_are_one_batch_with_the_text_as_second_segment(masked_lm):
    find("a film! a movie", masked_lm)
    ((ids, types, positions),) = masked_lm.batches
    # [CLS] a [MASK] ! a movie [SEP] a film ! a movie [SEP], and with the other word masked.
    assert ids.tolist() == [[2, 5, 4, 15, 5, 7, 3, 5, 6, 15, 5, 7, 3],
                            [2, 5, 6, 15, 5, 4, 3, 5, 6, 15, 5, 7, 3]]
    assert types.tolist() == [[0] * 7 + [1] * 6] * 2
    assert positions.tolist() == [2, 5]
    assert {part.dtype for part in (ids, types, positions)} == {np.dtype(np.int32)}


def test_as_published_words_behind_the_positions_keep_themselves(masked_lm):
    masked_lm.max_positions = 4
    masked_lm.answers = ("film", "movie", "story")
    found = find("a film a movie a story", masked_lm, as_published=True)
    ((ids, types, positions),) = masked_lm.batches
    assert (ids.tolist(), types.tolist(), positions.tolist()) == ([[2, 5, 4, 5]], [[0] * 4], [2])
    assert found.replacements == {1: ["film", "movie", "story"], 3: ["movie"], 5: ["story"]}


def test_a_long_text_is_read_in_equal_parts_cut_between_words(masked_lm):
    # A row of 13 holds two parts of 5 pieces. Two parts of 4 of these 8 would cut a word.
    masked_lm.max_positions = 13
    found = find("a film a unable movie a story", masked_lm)
    assert [ids.tolist() for ids, _, _ in masked_lm.batches] == [
        [[2, 5, 4, 5, 3, 5, 6, 5, 3]],
        [[2, 9, 10, 4, 5, 3, 9, 10, 7, 5, 3]],
        [[2, 4, 3, 8, 3]]]
    assert list(found.replacements) == [1, 3, 4, 6]
    assert found.replacements[6] == ["film", "movie", "story"]


def test_spans_are_those_of_the_words_in_the_text(masked_lm):
    text = "Ünable  FILM!"
    found = find(text, masked_lm)
    assert [text[start:end] for start, end in found.spans] == ["Ünable", "FILM", "!"]
    decomposed = "U\u0308nable  FILM\u0301!"
    found = find(decomposed, masked_lm)
    assert [decomposed[start:end] for start, end in found.spans] == [
        "U\u0308nable", "FILM\u0301", "!"]


def test_a_word_of_several_pieces_has_its_neighbours(masked_lm):
    # At 45 degrees: able (5 away), weak (10), story (30); "un" is of the word itself.
    assert find("unable", masked_lm, count=3).replacements == {0: ["able", "weak", "story"]}
    assert masked_lm.batches == []


def test_neighbours_are_in_title_case_if_the_word_is(masked_lm):
    neighbours = Neighbours(masked_lm.tokenizer.vocabulary, masked_lm.word_table)
    assert neighbours.of("Unable", (9, 10), 2) == ["Able", "Weak"]
    assert neighbours.of("unable", (9, 10), 2) == ["able", "weak"]


def test_a_word_without_candidates_is_its_own(masked_lm):
    masked_lm.answers = ("##ly", "[UNK]")
    assert find("film", masked_lm).replacements == {0: ["film"]}


def test_words_are_those_that_the_pieces_are_made_of(masked_lm):
    words, ids, numbers, offsets = masked_lm.tokenizer.split_words("Ünable  FILM!")
    assert words == ["unable", "film", "!"]
    assert (ids, offsets) == masked_lm.tokenizer.encode_with_offsets("Ünable  FILM!")
    assert numbers == [0, 0, 1, 2]
