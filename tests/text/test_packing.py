"""Packing follows run_classifier.py token for token."""

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.packing import encode_batch, pack, pair_lengths
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

IDS = {"cls_id": 101, "sep_id": 102, "pad_id": 9}


def test_single_is_padded():
    assert pack([1, 2], length=6, **IDS) == (
        [101, 1, 2, 102, 9, 9], [1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0])


def test_single_loses_its_end():
    assert pack([1, 2, 3, 4], length=5, **IDS)[0] == [101, 1, 2, 3, 102]


def test_pair_has_two_segments():
    assert pack([1, 2], [3], length=8, **IDS) == (
        [101, 1, 2, 102, 3, 102, 9, 9], [1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1, 0, 0])


def test_an_empty_second_text_still_makes_a_pair():
    assert pack([1], [], length=5, **IDS) == (
        [101, 1, 102, 102, 9], [1, 1, 1, 1, 0], [0, 0, 0, 1, 0])


def test_pair_of_equal_texts_loses_from_the_second_first():
    assert pack([1, 2, 3], [4, 5, 6], length=8, **IDS)[0] == [101, 1, 2, 3, 102, 4, 5, 102]


def test_pair_lengths_are_those_of_dropping_one_token_at_a_time():
    for room in range(9):
        for length_a in range(9):
            for length_b in range(9):
                left_a, left_b = length_a, length_b
                while left_a + left_b > room:
                    if left_a > left_b:
                        left_a -= 1
                    else:
                        left_b -= 1
                assert pair_lengths(length_a, length_b, room) == (left_a, left_b)


def test_the_least_length_holds_the_special_tokens():
    assert pack([1], length=2, **IDS)[0] == [101, 102]
    assert pack([1], [2], length=3, **IDS)[0] == [101, 102, 102]
    with pytest.raises(InputError, match="a length of 1 is too small.* take 2"):
        pack([], length=1, **IDS)
    with pytest.raises(InputError, match="a length of 2 is too small.* take 3"):
        pack([], [], length=2, **IDS)


@pytest.fixture
def tokenizer():
    # [PAD] is not 0 here, so that a fixed 0 would be seen.
    return Tokenizer(Vocabulary(["a", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[PAD]", "b"]))


def test_encode_batch_of_pairs(tokenizer):
    inputs = encode_batch(tokenizer, ["a b", ""], ["b b", "?"], length=6)
    assert inputs["input_word_ids"].tolist() == [[2, 0, 6, 3, 6, 3], [2, 3, 1, 3, 5, 5]]
    assert inputs["input_mask"].tolist() == [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]]
    assert inputs["input_type_ids"].tolist() == [[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0]]
    assert {array.dtype for array in inputs.values()} == {np.dtype("int32")}


def test_encode_batch_of_singles_and_of_nothing(tokenizer):
    assert encode_batch(tokenizer, ["a"], length=4)["input_word_ids"].tolist() == [[2, 0, 3, 5]]
    assert encode_batch(tokenizer, [], length=4)["input_mask"].shape == (0, 4)


def test_encode_batch_refuses_what_makes_no_pairs(tokenizer):
    with pytest.raises(InputError, match="2 texts and 1 second texts"):
        encode_batch(tokenizer, ["a", "b"], ["a"], length=8)
    with pytest.raises(InputError, match="too small"):
        encode_batch(tokenizer, [], [], length=2)
