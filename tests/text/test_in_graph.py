"""The tokenizer in the graph equals the one outside, but for the differences named here."""

import json
import pathlib
import unicodedata

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.in_graph import InGraphTokenizer
from mobilebert_tf.text.packing import encode_batch
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "text"
CASES = json.loads((GOLDEN / "google_tokenization.json").read_text(encoding="utf-8"))["cases"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer(GOLDEN / "vocab.txt")


@pytest.mark.parametrize("lower_case", [True, False])
def test_gives_googles_ids_on_the_golden_texts(lower_case):
    cases = [case for case in CASES if case["lower_case"] == lower_case]
    in_graph = InGraphTokenizer(Tokenizer(GOLDEN / "vocab.txt", lower_case), length=8)
    all_ids = in_graph.tokenize([case["text"] for case in cases]).to_list()
    for case, ids in zip(cases, all_ids, strict=True):
        assert ids == case["ids"], ascii(case["text"])


def test_every_character_of_the_basic_plane_is_treated_alike(tokenizer):
    in_graph = InGraphTokenizer(tokenizer, length=8)
    texts = [f"a{chr(point)}1" for point in range(0x10000) if not 0xD800 <= point < 0xE000]
    assert in_graph.tokenize(texts).to_list() == tokenizer.encode_texts(texts)


@pytest.mark.parametrize("length", [3, 9, 10])
def test_packs_as_encode_batch_does(tokenizer, length):
    in_graph = InGraphTokenizer(tokenizer, length=length)
    if length == 10:
        in_graph = tf.function(in_graph, autograph=False)
    texts = ["word " * count for count in range(9)] * 9
    pairs = [", " * (index // 9) for index in range(81)]
    for arguments in ([texts], [texts, pairs]):
        inputs = in_graph(*map(tf.constant, arguments))
        expected = encode_batch(tokenizer, *arguments, length=length)
        assert inputs.keys() == expected.keys()
        for name in expected:
            assert inputs[name].dtype == tf.int32
            np.testing.assert_array_equal(inputs[name], expected[name])


def test_in_a_data_pipeline_the_width_is_static(tokenizer):
    dataset = tf.data.Dataset.from_tensor_slices(["The bridge.", "A train, then silence."])
    dataset = dataset.batch(2).map(InGraphTokenizer(tokenizer, length=12))
    assert {tuple(spec.shape) for spec in dataset.element_spec.values()} == {(None, 12)}
    inputs = next(iter(dataset))
    np.testing.assert_array_equal(
        inputs["input_word_ids"],
        encode_batch(tokenizer, ["The bridge.", "A train, then silence."],
                     length=12)["input_word_ids"])


def test_words_up_to_200_characters_whatever_their_bytes():
    tokenizer = Tokenizer(Vocabulary([*SPECIAL, "😀", "##😀"]))
    in_graph = InGraphTokenizer(tokenizer, length=8)
    assert in_graph.tokenize(["😀" * 200, "😀" * 201]).to_list() == [[5] + [6] * 199, [1]]


def test_empty_batch_and_empty_text(tokenizer):
    in_graph = InGraphTokenizer(tokenizer, length=4)
    assert in_graph(tf.constant([], tf.string))["input_mask"].shape == (0, 4)
    vocabulary = tokenizer.vocabulary
    assert in_graph(tf.constant([" "]))["input_word_ids"].numpy().tolist() == [
        [vocabulary.cls_id, vocabulary.sep_id, 0, 0]]


def test_refuses_a_length_below_the_special_tokens(tokenizer):
    with pytest.raises(InputError, match="a length of 1 is too small"):
        InGraphTokenizer(tokenizer, length=1)
    with pytest.raises(InputError, match="a length of 2 is too small"):
        InGraphTokenizer(tokenizer, length=2)(tf.constant(["a"]), tf.constant(["b"]))


@pytest.mark.parametrize("piece", ["\0", "##a\0", "\x11a"])
def test_refuses_a_piece_that_tensorflow_text_cannot_hold(piece):
    with pytest.raises(InputError, match="control character"):
        InGraphTokenizer(Tokenizer(Vocabulary([*SPECIAL, "a", piece])), length=8)


def test_bytes_that_are_not_utf8_are_dropped():
    in_graph = InGraphTokenizer(Tokenizer(Vocabulary([*SPECIAL, "a", "##b"])), length=4)
    assert in_graph.tokenize([b"a\xffb\xe4\xb8"]).to_list() == [[5, 6]]


@pytest.mark.skipif(unicodedata.unidata_version < "14", reason="Python's tables are as old")
@pytest.mark.parametrize(("text", "python", "graph"), [
    # Capitals of Unicode 14 (40 of them) stay capitals.
    ("\u2c2f", ["\u2c5f"], ["[UNK]"]),
    ("\ua7c0", ["\ua7c1"], ["[UNK]"]),
    ("\U00010570", ["\U00010597"], ["[UNK]"]),
    # Before an accent of Unicode 14 (112 of them) the word seems to begin anew.
    ("A\u0898Σ", ["a", "##ς"], ["a", "##σ"]),
])
def test_known_differences_by_unicode_14(text, python, graph):
    check_difference(text, python, graph)


@pytest.mark.skipif(unicodedata.unidata_version >= "16", reason="Python's tables are as new")
def test_known_difference_by_unicode_16():
    # One of 20 characters that NFD decomposes since then.
    check_difference("\U000105c9", ["[UNK]"], ["\U000105d2"])


def check_difference(text, python, graph):
    pieces = ["a", "##ς", "##σ", "\u2c5f", "\ua7c1", "\U00010597", "\U000105d2"]
    tokenizer = Tokenizer(Vocabulary([*SPECIAL, *pieces]))
    in_graph = InGraphTokenizer(tokenizer, length=8)
    assert tokenizer.tokenize(text) == python
    ids = in_graph.tokenize([text]).to_list()[0]
    assert [tokenizer.vocabulary.pieces[i] for i in ids] == graph
