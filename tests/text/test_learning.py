"""Vocabulary learning is reproducible, complete in its characters, and keeps to the size."""

import subprocess
import sys

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.learning import learn_vocabulary
from mobilebert_tf.text.tokenizer import Tokenizer

TEXTS = ["Lower, lowest, low! The newest news: new newer.", "Wide wider widest; the width.", "中"]


def test_layout_special_pieces_then_characters_then_merges():
    pieces = learn_vocabulary(TEXTS, 70).pieces
    assert pieces[:5] == ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    starts = ["!", ",", ".", ":", ";", *"dehilnorstw", "中"]
    assert list(pieces[5:22]) == starts
    assert list(pieces[22:33]) == ["##" + character for character in "dehilnorstw"]
    assert all(len(piece.removeprefix("##")) > 1 for piece in pieces[33:])
    assert "new" in pieces[33:]
    assert len(pieces) <= 70


def test_keeps_to_the_size_and_merges_most_frequent_first():
    texts = ["ab ab ab ab cd cd cd ef ef"]
    assert learn_vocabulary(texts, 5 + 12 + 2).pieces[17:] == ("ab", "cd")


def test_one_off_pairs_are_not_merged():
    assert len(learn_vocabulary(["ab"], 100)) == 5 + 4


def test_its_own_texts_have_no_unknown_words():
    tokenizer = Tokenizer(learn_vocabulary(TEXTS, 60))
    for text in TEXTS:
        assert "[UNK]" not in tokenizer.tokenize(text)


def test_lower_case_decides_about_capitals():
    assert "L" not in learn_vocabulary(TEXTS, 70).ids
    assert "L" in learn_vocabulary(TEXTS, 70, lower_case=False).ids


def test_is_the_same_in_every_process_and_for_an_iterator():
    code = ("from mobilebert_tf.text.learning import learn_vocabulary; import string; "
            "words = [a + b + c for a in 'abcdefg' for b in 'hijklm' for c in 'nopqrst']; "
            "print(*learn_vocabulary((w for w in words * 2), 200).pieces)")
    outputs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=True).stdout for _ in range(4)}
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 200


def test_rare_characters_stay_unknown():
    common = [chr(point) for point in range(0x4E00, 0x4E00 + 1000)]
    vocabulary = learn_vocabulary(common * 2 + ["\u9000"], 1100)
    assert common[0] in vocabulary.ids
    assert "\u9000" not in vocabulary.ids


def test_unassigned_characters_stay_unknown():
    assert learn_vocabulary(["a \U000e0fff a\U000e0fff"] * 3, 50).pieces[5:] == ("a", "##a")


def test_refuses_no_text_and_a_size_below_the_characters():
    with pytest.raises(InputError, match="no text"):
        learn_vocabulary([" ", ""], 100)
    with pytest.raises(InputError, match="a vocabulary of 20 pieces is too small.* are 33"):
        learn_vocabulary(TEXTS, 20)
