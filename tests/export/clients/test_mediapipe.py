"""MediaPipe Tasks on our files, with its own tokenizer and the vocabulary inside the file."""

import contextlib

import numpy as np
import pytest

from mobilebert_tf.export import Runner
from mobilebert_tf.inference.predict import embed as embeddings
from mobilebert_tf.text.packing import encode_batch

from ..conftest import LENGTH
from .conftest import tolerance

TEXTS = ["al bl", "AL cl ? zz", "dm. em? fp!", "al " * 30, ""]


@pytest.fixture(scope="module")
def classify(mediapipe):
    """content, texts -> the results' heads, one list a text."""

    def run(content, texts):
        options = mediapipe.text.TextClassifierOptions(
            base_options=mediapipe.BaseOptions(model_asset_buffer=content))
        with contextlib.closing(
                mediapipe.text.TextClassifier.create_from_options(options)) as classifier:
            return [classifier.classify(text).classifications for text in texts]

    return run


@pytest.fixture(scope="module")
def probabilities(classify):
    """content, texts -> probabilities by label."""

    def run(content, texts):
        heads = [head for (head,) in classify(content, texts)]
        assert {head.head_name for head in heads} == {"probability"}
        return [{category.category_name: category.score for category in head.categories}
                for head in heads]

    return run


@pytest.fixture(scope="module")
def embed(mediapipe):

    def run(content, text):
        options = mediapipe.text.TextEmbedderOptions(
            base_options=mediapipe.BaseOptions(model_asset_buffer=content))
        with contextlib.closing(
                mediapipe.text.TextEmbedder.create_from_options(options)) as embedder:
            (embedding,) = embedder.embed(text).embeddings
            return embedding

    return run


@pytest.mark.parametrize("kind", ["classification", "multi_label"])
def test_the_classifier_gives_litert_s_probabilities(kind, recipe, exported, probabilities, litert,
                                                     assert_same):
    file = exported(kind, recipe).model
    assert_same(probabilities(file, TEXTS), litert(file, TEXTS), recipe)


def test_the_embedder_gives_the_encoder_s_output(recipe, exported, embed):
    file = exported("encoding", recipe).model
    runner = Runner(file)
    text = "Al bl, cl"
    expected = runner(encode_batch(runner.tokenizer, [text], length=LENGTH))["sequence_output"]
    embedding = embed(file, text)
    assert embedding.head_name == "sequence_output"
    # All states in a row.
    np.testing.assert_allclose(embedding.embedding, expected.ravel(), rtol=0,
                               atol=tolerance(recipe, is_probability=False))


def test_the_embedder_gives_sentence_embeddings(recipe, exported, embed):
    """Those that LiteRT gives for our tokenizer's ids, and for several texts, not one for all."""
    file = exported("embedding", recipe).model
    runner = Runner(file)
    expected = embeddings(runner, TEXTS[:4])
    vectors = []
    for text in TEXTS[:4]:
        embedding = embed(file, text)
        assert embedding.head_name == "sentence_embedding"
        vectors.append(embedding.embedding)
    assert np.ptp(expected @ expected.T) > 0.01
    np.testing.assert_allclose(vectors, expected, rtol=0, atol=tolerance(recipe))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_other_outputs_are_heads_by_name(exported, classify):
    ((first, second),) = classify(exported("question_answering", "float32").model, ["al bl"])
    assert [(head.head_name, len(head.categories)) for head in (first, second)] == [
        ("end_logits", LENGTH), ("start_logits", LENGTH)]


def test_where_its_tokenizer_differs_from_bert_s(misread, probabilities):
    file, text, expected = misread
    assert probabilities(file, [text]) == [pytest.approx(expected, abs=1e-5)]


def test_a_file_that_its_tokenizer_would_misread_is_refused(without_tokenizer, classify):
    with pytest.raises((RuntimeError, ValueError), match="input process unit"):
        classify(without_tokenizer, ["al"])


def test_a_file_of_several_lengths_is_refused(two_graphs, classify):
    with pytest.raises((RuntimeError, ValueError), match="single subgraph"):
        classify(two_graphs, ["al"])


@pytest.mark.slow
def test_a_trained_classifier(recipe, trained, reviews, probabilities, litert, assert_same):
    file = trained(recipe)
    assert_same(probabilities(file, reviews), litert(file, reviews), recipe)


def test_the_shipped_classifier(probabilities, shipped, litert, assert_same):
    file = shipped("mobilebert_mini_sst2", "int8")
    texts = ["a quiet film that stays with you", "two hours i will not get back", "an odd one ."]
    assert_same(probabilities(file, texts), litert(file, texts), "int8")


@pytest.mark.parametrize("recipe", ["dynamic_int8", "int8"])
def test_the_shipped_embedder(recipe, embed, shipped):
    file = shipped("mobilebert_mini_embedding", recipe)
    texts = ["where can i eat ?", "fresh fish , every day"]
    for text, expected in zip(texts, embeddings(Runner(file), texts), strict=True):
        np.testing.assert_allclose(embed(file, text).embedding, expected, rtol=0,
                                   atol=tolerance(recipe))
