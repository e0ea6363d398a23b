import numpy as np
import pytest

from mobilebert_tf.data.features.features import Features, single_rows
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

# [PAD] [UNK] [CLS] [SEP] [MASK] are 0 to 4; a to e are 5 to 9.
A, B, C, D, E = range(5, 10)


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer(Vocabulary([*SPECIAL_PIECES, *"abcde"]))


def rows(features):
    return [list(ids) for ids in features.ids]


def test_a_row_is_a_text_between_its_special_tokens(tokenizer):
    features = single_rows(["a b", "c"], None, tokenizer, 8, (1, 0))
    assert rows(features) == [[2, A, B, 3], [2, C, 3]]
    assert features.first_lengths == [4, 3]
    assert features.targets == (1, 0)
    assert {ids.dtype for ids in features.ids} == {np.dtype(np.int32)}


def test_a_pair_is_one_row_of_two_segments(tokenizer):
    features = single_rows(["a b", "c"], ["d", "e e"], tokenizer, 8)
    assert rows(features) == [[2, A, B, 3, D, 3], [2, C, 3, E, E, 3]]
    assert features.first_lengths == [4, 3]


def test_what_is_too_long_is_cut_the_longer_of_a_pair_first(tokenizer):
    assert rows(single_rows(["a b c d e"], None, tokenizer, 4)) == [[2, A, B, 3]]
    # Three of the six tokens are special: of 4 and 2 pieces, 2 and 2 remain, then 2 and 1.
    features = single_rows(["a b c d"], ["e a"], tokenizer, 6)
    assert rows(features) == [[2, A, B, 3, E, 3]]
    assert features.first_lengths == [4]
    with pytest.raises(InputError, match="a length of 2 is too small"):
        single_rows(["a"], ["b"], tokenizer, 2)


def test_packed_is_padded_and_says_where_the_second_segment_is():
    features = Features([[2, 7, 3, 8, 3], np.int32([2, 3])], [3, 2])
    packed = features.packed(6, pad_id=9)
    assert {name: values.tolist() for name, values in packed.items()} == {
        "input_word_ids": [[2, 7, 3, 8, 3, 9], [2, 3, 9, 9, 9, 9]],
        "input_mask": [[1, 1, 1, 1, 1, 0], [1, 1, 0, 0, 0, 0]],
        "input_type_ids": [[0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0]]}
    assert {values.dtype for values in packed.values()} == {np.dtype(np.int32)}


def test_a_row_of_full_length_has_no_padding():
    assert Features([[2, 3, 4]], [3]).packed(3, 0)["input_mask"].tolist() == [[1, 1, 1]]


def test_values_by_example_are_those_of_its_rows():
    windows = Features([[2, 3]] * 4, [2] * 4, rows=[1, 0, 3])
    assert windows.by_example([10, 11, 12, 13]) == [[10], [], [11, 12, 13]]
    assert Features([[2, 3]] * 2, [2] * 2).by_example([10, 11]) == [[10], [11]]
