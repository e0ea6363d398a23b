"""Models with random weights, inputs for them, and the one measure of agreement."""

import numpy as np
import pytest

import mobilebert_tf as mb


def _worst_error(actual, expected, largest=None):
    """The largest error over the largest value, of the worst position.

    By position, the last axis apart: the state of one token can be a million times the others',
    and must not hide their errors.
    """
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    assert actual.shape == expected.shape
    if not np.isfinite(actual).all():
        return np.inf
    largest = np.abs(expected).max(-1) if largest is None else largest
    assert (largest > 0).all()
    return float((np.abs(actual - expected).max(-1) / largest).max())


@pytest.fixture(scope="session")
def worst_error():
    return _worst_error


@pytest.fixture(scope="session")
def build_model():
    """kind, preset or config -> a model of that kind with the initializers' weights."""

    def build(kind, config="micro", **settings):
        encoder = mb.Encoder(mb.presets.get(config) if isinstance(config, str) else config)
        return {
            "encoder": lambda: encoder,
            "pretrainer": lambda: mb.Pretrainer(encoder, **settings),
            "masked_lm": lambda: mb.Pretrainer(encoder, next_sentence=False),
            "classifier": lambda: mb.Classifier(encoder, 3, **settings),
            "token_classifier": lambda: mb.TokenClassifier(encoder, 5, **settings),
            "question_answerer": lambda: mb.QuestionAnswerer(encoder),
            "sentence_encoder": lambda: mb.SentenceEncoder(encoder),
        }[kind]()

    return build


@pytest.fixture
def inputs_of(batch):
    """model -> the batch with what this model's inputs are."""

    def take(model):
        inputs = dict(batch)
        if "masked_positions" in model.input:
            inputs["masked_positions"] = np.int32([[1, 4, 9], [6, 2, 0], [1, 1, 2]])
        return inputs

    return take
