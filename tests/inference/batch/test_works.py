"""What is done with rows, by models that give known numbers."""

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.batch.answer import RowAnswer
from mobilebert_tf.inference.batch.bad_row import BadRow
from mobilebert_tf.inference.batch.embedding_work import EmbeddingWork
from mobilebert_tf.inference.batch.loaded_model import LoadedModel
from mobilebert_tf.inference.batch.model_handler import FileModelHandler
from mobilebert_tf.inference.batch.prediction_work import PredictionWork
from mobilebert_tf.inference.batch.row import Row
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.kinds.embedding import Embedding
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.kinds.tagging import Tagging

A, NOT_FINITE = 5, 14  # the ids of the letters a and j


def first_letters(inputs):
    """The probability of the second class is that of the first letter; j gives no number."""
    first = inputs["input_word_ids"][:, 1]
    second = np.where(first == NOT_FINITE, np.nan, (first - A) / 10)
    return {"probabilities": np.stack([1 - second, second], axis=1)}


def rows(*texts):
    return [Row(f"id{number}", f"line {number}", text) for number, text in enumerate(texts)]


@pytest.fixture
def classifier(scripted, letters):
    return scripted(letters, first_letters, Classification(labels=("no", "yes")))


def test_a_prediction_keeps_its_row(classifier):
    one, other = PredictionWork(top_k=1).run(classifier, rows("h a", "b"))
    assert one.record == {"id": "id0", "text": "h a", "truncated": False, "classes": [
        {"label": "yes", "probability": pytest.approx(0.7)}]}
    assert other.record["classes"][0]["label"] == "no"


def test_rows_without_numbers_or_tokens_are_set_aside_and_others_are_not(classifier):
    found = PredictionWork().run(classifier, rows("b", "j", "\u200b", "c"))
    assert [type(one) is RowAnswer for one in found] == [True, False, False, True]
    assert [(one.id, one.counter) for one in found[1:3]] == [
        ("id1", "not_finite"), ("id2", "empty")]
    assert found[2].reason == "the text has no tokens"


def test_a_row_that_the_model_refuses_is_set_aside_alone(classifier):
    class Refusing(Classification):
        def examples(self, texts, second_texts):
            if "c" in texts:
                raise InputError("no c")
            return super().examples(texts, second_texts)

    classifier.kind = Refusing(labels=("no", "yes"))
    found = PredictionWork().run(classifier, rows("b", "c", "d"))
    assert (found[1].counter, found[1].reason) == ("refused", "no c")
    assert [one.values["classes"][0]["probability"] for one in (found[0], found[2])] == [
        pytest.approx(0.9), pytest.approx(0.7)]


def test_a_row_that_is_refused_leaves_large_batches(classifier):
    calls = []

    class Refusing(Classification):
        def examples(self, texts, second_texts):
            calls.append(len(texts))
            if "c" in texts:
                raise InputError("no c")
            return super().examples(texts, second_texts)

    classifier.kind = Refusing(labels=("no", "yes"))
    found = PredictionWork().run(classifier, rows(*"b" * 50, "c", *"d" * 13))
    assert [number for number, one in enumerate(found) if isinstance(one, BadRow)] == [50]
    assert calls == [64, 32, 32, 16, 16, 8, 4, 2, 2, 1, 1, 4, 8]


def test_embeddings(scripted, letters):
    def vectors(inputs):
        first = inputs["input_word_ids"][:, 1]
        return {"sentence_embedding": np.stack([np.where(first == NOT_FINITE, np.inf, 1.0),
                                                first], axis=1)}

    runner = scripted(letters, vectors, Embedding())
    one, bad, empty, cut = EmbeddingWork().run(runner, rows("b", "j", " ", "c " * 20))
    assert one.vector.tolist() == [1, 6]
    assert cut.vector.tolist() == [1, 7]
    assert (one.values, cut.values) == ({"truncated": False}, {"truncated": True})
    assert (bad.counter, empty.counter) == ("not_finite", "empty")


def test_the_handler_runs_rows_by_length_and_gives_them_back_in_order(classifier):
    """Every other text takes the wider signature: of 32 rows there are two batches, not four."""
    texts = [f"{letter}{' a' * (10 if number % 2 else 0)}"
             for number, letter in enumerate("bcdefghi" * 4)]
    given = rows(*texts)
    bad = given[3] = given[3].bad("blank", "the line is blank")
    handler = FileModelHandler("unused", PredictionWork(top_k=2))
    (found,) = handler.run_inference([given], LoadedModel(classifier))
    assert found[3] is bad
    assert classifier.batches == [(16, 8), (15, 16)]
    for number, one in enumerate(found):
        if number != 3:
            assert one.row.id == f"id{number}"
            yes = {entry["label"]: entry["probability"] for entry in one.values["classes"]}["yes"]
            assert yes == pytest.approx((1 + number % 8) / 10)


def test_a_part_without_good_rows_needs_no_run(classifier):
    given = [row.bad("blank", "") for row in rows("a", "b")]
    handler = FileModelHandler("unused", PredictionWork())
    assert handler.run_inference([given], LoadedModel(classifier)) == [given]
    assert classifier.batches == []


def test_a_kind_that_cannot_do_it_is_refused_before_anything_is_read(scripted, letters):
    tagger = scripted(letters, first_letters, Tagging(labels=("O",)))
    masks = scripted(letters, lambda inputs: {
        "mlm_logits": np.zeros((*inputs["input_word_ids"].shape, 15), np.float32)}, FillMask())
    PredictionWork().check(masks, pairs=False)
    with pytest.raises(InputError, match="second text"):
        PredictionWork().check(tagger, pairs=True)
    with pytest.raises(InputError, match="no sentence embeddings"):
        EmbeddingWork().check(scripted(letters, first_letters, Classification()), pairs=False)
