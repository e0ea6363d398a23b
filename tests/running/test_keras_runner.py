import dataclasses

import numpy as np
import pytest
from scipy import special

import mobilebert_tf as mb
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

LABELS = ("bad", "good", "so so")


@pytest.fixture(scope="module")
def contents(randomize):
    config = dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1, vocab_size=8)
    model = randomize(mb.Classifier(mb.Encoder(config), 3))
    return ModelDirectory(model, Vocabulary([*SPECIAL_PIECES, *"abc"]),
                          Classification(labels=LABELS), lower_case=True)


def test_runs_batches_of_any_size_and_width_without_dropout(contents):
    runner = KerasRunner(contents, 40, "x")
    assert (runner.kind, runner.length) == (Classification(labels=LABELS), 40)
    assert runner.tokenizer.tokenize("A c") == ["a", "c"]
    random = np.random.default_rng(0)
    rows = [random.integers(5, 8, count).tolist() for count in (3, 15, 16, 31, 40)]
    features = Features(rows, [len(row) // 2 for row in rows])
    assert running.widths(runner, features).tolist() == [16, 16, 32, 32, 40]
    found = running.outputs(runner, features)["probabilities"]
    # One row after the other, at the full length: BERT's attention does not see padding.
    for number, row in enumerate(rows):
        packed = Features([row], [len(row) // 2]).packed(40, 0)
        expected = special.softmax(contents.model(packed, training=False).numpy(), axis=-1)
        np.testing.assert_allclose(found[number], expected[0], rtol=2e-5, atol=1e-6)
    assert np.abs(found[0] - found[1]).max() > 1e-3


def test_widths_can_be_those_of_a_file(contents):
    runner = KerasRunner(contents, 40, "x", lambda tokens: 24)
    assert running.widths(runner, Features([[5], [5] * 20], [1, 20])).tolist() == [24, 24]


def test_what_cannot_be_run_is_refused(contents):
    with pytest.raises(mb.InputError, match="x has no vocabulary: put its vocab.txt"):
        KerasRunner(dataclasses.replace(contents, vocabulary=None), 16, "x")
    with pytest.raises(mb.InputError, match="x has 40 positions; give a length of at most 40"):
        KerasRunner(contents, 41, "x")
