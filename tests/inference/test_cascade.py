import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.data.datasets.conll import TaggedSentence
from mobilebert_tf.inference.cascade import Cascade
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.kinds.multi_label import MultiLabel
from mobilebert_tf.kinds.tagging import Tagging

LABELS = ("bad", "good")


@pytest.fixture
def saying(scripted, letters):
    """Classifier whose probability of the first class is a function of the first letter."""
    def make(function, labels=LABELS):
        made = scripted(letters, None, Classification(labels=labels))
        made.rows = 0

        def run(inputs):
            ids = inputs["input_word_ids"]
            made.rows += len(ids)
            first = np.array([function(token) for token in ids[:, 1] - 5], np.float32)
            return {"probabilities": np.stack([first, 1 - first], axis=1)}

        made._outputs = run
        return made

    return make


@pytest.fixture
def pair(saying):
    """The first is sure of a (1.0), less of b (0.75), c (0.5); the second says good, surely."""
    return saying(lambda letter: 1 - letter / 4), saying(lambda letter: 0.125)


def told(cascade, texts):
    return [(one["answered_by"], one["classes"][0]["label"], one["confidence"])
            for one in mb.predict(cascade, texts)]


def test_the_second_answers_where_the_first_is_not_sure(pair):
    assert told(Cascade(*pair, 0.7), ["a", "c", "b", "c c"]) == [
        ("first", "bad", 1.0), ("second", "good", 0.875), ("first", "bad", 0.75),
        ("second", "good", 0.875)]
    assert (pair[0].rows, pair[1].rows) == (4, 2)


def test_the_model_of_an_answer(pair):
    cascade = Cascade(*pair, 0.7)
    assert [cascade.model_of(one) for one in mb.predict(cascade, ["a", "c"])] == list(pair)


@pytest.mark.parametrize(("threshold", "asked"), [
    (0, 0), (0.4999, 0), (0.5, 1), (0.75, 2), (0.7501, 2), (0.9999, 2), (1, 3)])
def test_an_answer_stands_above_the_threshold_and_not_on_it(pair, threshold, asked):
    found = told(Cascade(*pair, threshold), ["a", "b", "c"])
    assert [one[0] for one in found].count("second") == asked
    assert pair[1].rows == asked


def test_an_empty_text_has_no_answer_to_doubt(pair):
    (found,) = mb.predict(Cascade(*pair, 1.0), [" "])
    assert found == {"text": " ", "empty": ["text"], "truncated": False, "answered_by": "first"}
    assert pair[1].rows == 0


def test_numbers_that_are_not_finite_are_not_sure(saying, pair):
    (found,) = told(Cascade(saying(lambda letter: np.nan), pair[1], 0.0), ["a"])
    assert found == ("second", "good", 0.875)
    with pytest.raises(mb.InputError, match="not finite"):
        mb.predict(Cascade(pair[0], saying(lambda letter: np.nan), 1.0), ["a"])


def test_second_texts_go_to_both(pair):
    found = mb.predict(Cascade(*pair, 0.6), ["a", "c"], ["d", "e"])
    assert [one["answered_by"] for one in found] == ["first", "second"]


def confidence(kind, outputs, examples=None, features=None):
    (answer,) = kind.answers(outputs, examples, features)
    return kind.confidence(answer)


def test_the_confidence_of_several_decisions_is_their_product(letters):
    kind = MultiLabel(labels=("x", "y", "z"))
    outputs = {"probabilities": np.array([[0.9, 0.2, 0.4]])}
    assert confidence(kind, outputs) == pytest.approx(0.9 * 0.8 * 0.6)
    # A label that is chosen at 0.4 is right 4 times of 10.
    low = kind.with_settings(threshold=0.3)
    assert confidence(low, outputs) == pytest.approx(0.9 * 0.8 * 0.4)
    assert confidence(kind, {"probabilities": np.zeros((1, 3))}) == 1
    kind = Tagging(labels=("O", "B-PER", "I-PER"))
    examples = [TaggedSentence(("a", "b"), ("O", "O"))]
    # [CLS], both words and [SEP].
    logits = np.log([[[0.1, 0.1, 0.8], [0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.1, 0.1, 0.8]]])
    assert confidence(kind, {"logits": logits}, examples, kind.rows(
        examples, letters, 8)) == pytest.approx(0.25)
    assert confidence(Classification(labels=LABELS),
                      {"probabilities": np.array([[0.25, 0.75]])}) == 0.75


def test_what_is_no_cascade_is_named(pair, saying, scripted, letters):
    first, second = pair
    embedder = scripted(letters, None, Embedding())
    for models, threshold, sentence in (
            ((first, embedder), 0.5, "is for classification and the second for embedding"),
            ((embedder, embedder), 0.5, "for embedding gives no probabilities of classes"),
            ((first, saying(float, ("good", "bad"))), 0.5,
             "same labels in the same order. The first has bad, good; the second has good, bad"),
            ((first, second), 1.5, "from 0 to 1. Received: 1.5"),
            ((first, second), float("nan"), "from 0 to 1")):
        with pytest.raises(mb.InputError, match=sentence):
            Cascade(*models, threshold)


@pytest.mark.parametrize(("content", "sentence"), [
    ("{", "is not JSON"), ("{}", "missing required field"),
    ('{"threshold": 2, "files": []}', "threshold: expected"),
    ('{"threshold": 0.5, "files": [{"file": "a.tflite", "sha256": ""}]}', "files: expected"),
    ('{"threshold": 0.5, "files": [{"file": "a", "sha256": ""}, {"file": "b", "sha256": ""}]}',
     "names a, and there is no file")])
def test_a_file_that_is_no_cascade_is_named(tmp_path, content, sentence):
    path = tmp_path / "cascade.json"
    path.write_text(content)
    with pytest.raises(mb.InputError, match=sentence):
        mb.predict(path, ["a"])
    with pytest.raises(mb.InputError, match="there is no model"):
        mb.predict(tmp_path / "other.json", ["a"])


def test_what_is_no_open_model_is_named(pair):
    with pytest.raises(mb.InputError, match="second should be a path, .* Received: a int"):
        Cascade(pair[0], 5, 0.5)


@pytest.mark.parametrize("second_texts", [["d"], ["d"] * 3])
def test_each_text_has_its_second_text(pair, second_texts):
    cascade = Cascade(*pair, 0.6)
    for ask in (lambda: cascade.predictions(["a", "c"], second_texts, 5),
                lambda: mb.predict(cascade, ["a", "c"], second_texts)):
        with pytest.raises(mb.InputError, match=f"2 texts and {len(second_texts)} second texts"):
            ask()


class Column(list):
    """Texts whose numbers are not their places, as of a shuffled column of pandas."""

    def __getitem__(self, number):
        raise KeyError(number)


def test_texts_are_taken_in_their_order_and_not_by_their_numbers(pair):
    texts = ["a", "c", "b"]
    assert mb.predict(Cascade(*pair, 0.7), Column(texts), Column(texts)) == mb.predict(
        Cascade(*pair, 0.7), texts, texts)


@pytest.mark.parametrize("length", [2, "64"])
def test_a_length_without_room_for_a_text_is_refused(length, pair):
    with pytest.raises(mb.InputError, match="the length should be a whole number, at least 5"):
        Cascade(*pair, 0.7, length=length)
