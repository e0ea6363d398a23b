"""Few rows a class: pairs by hand, the loss by NumPy, the head by scikit-learn, whole runs."""

import collections
import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.finetuning import pairs, regression_head
from mobilebert_tf.finetuning.diverged import Diverged
from mobilebert_tf.finetuning.few_shot_settings import FewShotSettings
from mobilebert_tf.finetuning.pair_batches import PairBatches
from mobilebert_tf.finetuning.run import run as fine_tune
from mobilebert_tf.finetuning.start import Start
from mobilebert_tf.models.pair_cosine import PairCosine
from mobilebert_tf.tasks import catalogue

from ..weights import same, saved_weights

SMALL = FewShotSettings(rows=4, iterations=3, learning_rate=1e-3, epochs=2, length=16, seed=3)


@pytest.fixture(scope="module")
def encoder():
    return mb.Encoder(dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1,
                                          vocab_size=20, pooler="mean", hidden_dropout=0.0,
                                          attention_dropout=0.0))


@pytest.fixture(scope="module")
def features():
    random = np.random.default_rng(2)
    ids = [random.integers(1, 20, size) for size in (3, 5, 20, 4, 6, 5, 3, 8, 7)]
    return Features(ids, [len(one) for one in ids], [0, 1, 2, 0, 1, 2, 0, 1, 2])


@pytest.fixture(scope="module")
def data(make_data, tmp_path_factory):
    return catalogue.data(catalogue.of("sst2"),
                          make_data(tmp_path_factory.mktemp("data") / "SST-2", 60, 20))


def means(encoder, inputs):
    """The mean over the real tokens, in NumPy."""
    states = encoder(inputs, training=False)["sequence_output"].numpy().astype(np.float64)
    mask = inputs["input_mask"][:, :, np.newaxis]
    return (states * mask).sum(axis=1) / mask.sum(axis=1)


def test_pairs_of_two_rows_a_class_are_those_by_hand():
    found, targets = pairs.contrastive([0, 0, 1, 1], 5, np.random.default_rng(1))
    same = collections.Counter(tuple(pair) for pair in found[targets == 1].tolist())
    assert same == {(0, 1): 5, (1, 0): 5, (2, 3): 5, (3, 2): 5}
    other = found[targets == 0].tolist()
    assert collections.Counter(first for first, _ in other) == {0: 5, 1: 5, 2: 5, 3: 5}
    assert all({first, second} & {0, 1} and {first, second} & {2, 3} for first, second in other)
    assert len(set(targets[:8])) == 2  # shuffled


def test_rows_are_drawn_of_each_class_with_the_seed():
    labels = [0, 1] * 20 + [2] * 9
    drawn = [pairs.draw(labels, ("a", "b", "c"), 8, seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 24
    assert collections.Counter(labels[row] for row in drawn[0]) == {0: 8, 1: 8, 2: 8}
    # A class with fewer gives all.
    more = pairs.draw(labels, ("a", "b", "c"), 10, 1)
    assert collections.Counter(labels[row] for row in more) == {0: 10, 1: 10, 2: 9}
    for rows in (0, 1):
        with pytest.raises(mb.InputError, match=f"the class d has {rows} in the training files"):
            pairs.draw([*labels, *[3] * rows], ("a", "b", "c", "d"), 8, 1)


def test_the_loss_is_numpys(encoder, features):
    batches = PairBatches(features, 2, 32, 5, 0)
    found = list(batches.dataset(1, 0))
    assert len(found) == batches.steps == 8  # 9 rows, 2 iterations, 2 sorts: 36 pairs
    model = PairCosine(encoder)
    model.compile(loss="mse")
    loss = model.evaluate(batches.dataset(1, 0), verbose=0)
    expected = 0
    for inputs, targets in found:
        vectors = means(encoder, {name: values.numpy() for name, values in inputs.items()})
        for one, other, target in zip(vectors[::2], vectors[1::2], targets.numpy()[:, 0],
                                      strict=True):
            cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
            expected += (cosine - target) ** 2
    assert loss == pytest.approx(expected / 36, rel=1e-5)


def test_batches_hold_all_pairs_and_those_of_one_width_together(features):
    found = list(PairBatches(features, 6, 32, 4, 0).dataset(1, 0))
    widths, seen = [], collections.Counter()
    for inputs, targets in found:
        ids, mask = inputs["input_word_ids"].numpy(), inputs["input_mask"].numpy()
        texts = [tuple(row[:size]) for row, size in zip(ids, mask.sum(axis=1), strict=True)]
        pair_widths = {16 if max(map(len, pair)) < 16 else 32
                       for pair in zip(texts[::2], texts[1::2], strict=True)}
        assert ids.shape[1] == max(pair_widths)
        widths.append(pair_widths)
        seen.update(zip(texts[::2], texts[1::2], targets.numpy()[:, 0].tolist(), strict=True))
    texts = [tuple(row.tolist()) for row in features.ids]
    expected, targets = pairs.contrastive(features.targets, 6, np.random.default_rng([1, 1, 0]))
    assert seen == collections.Counter(
        (texts[one], texts[other], float(target))
        for (one, other), target in zip(expected, targets, strict=True))
    # One batch has the last of the narrow pairs and the first of the wide ones.
    assert sum(len(one) > 1 for one in widths) <= 1
    order = [max(one) for one in widths]
    assert sorted(order) != order != sorted(order, reverse=True), "wide batches are among the rest"


def test_an_epoch_that_continues_has_the_pairs_that_were_left(features):
    batches = PairBatches(features, 2, 32, 5, 0)
    whole, rest = list(batches.dataset(1, 0)), list(batches.dataset(1, 0).skip(3))
    assert len(rest) == batches.steps - 3
    assert batches.dataset(1, 0).options().autotune.enabled is False  # see `untuned`
    for one, other in zip(whole[3:], rest, strict=True):
        for found, expected in zip(tf.nest.flatten(other), tf.nest.flatten(one), strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_head_is_scikit_learns_regression(encoder, features, classes):
    classifier = mb.Classifier(encoder, classes)
    inputs, labels = features.packed(24, 0), np.array(features.targets) % classes
    regression_head.fit(classifier, inputs, labels)
    vectors = means(encoder, inputs)
    vectors /= np.sqrt((vectors ** 2).sum(axis=1).mean())
    expected = LogisticRegression(max_iter=1000).fit(vectors, labels).predict_proba(vectors)
    probabilities = softmax(classifier(inputs, training=False).numpy(), axis=1)
    np.testing.assert_allclose(probabilities, expected, atol=1e-5)
    assert np.ptp(expected[:, 0]) > 1e-3, "the same for all rows would show nothing"


def test_a_stopped_run_ends_as_a_whole_one(data, small_start, tmp_path, monkeypatch):
    start, said = Start(checkpoint=small_start), []
    whole = fine_tune(data, start, SMALL, tmp_path / "whole", said.append)
    assert "8 training and 20 dev examples" in said[0]
    assert "3 steps an epoch of 16 pairs" in said[1]
    original, calls = regression_head.fit, []

    def stop_in_epoch_2(*arguments):
        calls.append(1)
        if len(calls) == 3:  # scored and saved after epoch 1
            raise KeyboardInterrupt
        original(*arguments)

    monkeypatch.setattr(regression_head, "fit", stop_in_epoch_2)
    with pytest.raises(KeyboardInterrupt):
        fine_tune(data, start, SMALL, tmp_path / "stopped")
    again = fine_tune(data, start, SMALL, tmp_path / "stopped", said.append)
    assert "continuing after epoch 1" in said
    assert again == whole
    assert same(saved_weights(tmp_path / "whole"), saved_weights(tmp_path / "stopped"))
    count = len(calls)
    assert fine_tune(data, start, SMALL, tmp_path / "stopped") == whole
    assert len(calls) == count, "a finished run is not repeated"
    # The saved head is the regression on the saved encoder, and the encoder has learned.
    found = mb.evaluate(tmp_path / "whole", "sst2", dev=data.dev_file)
    assert found.scores["accuracy"] == whole.score
    before = model_directory.load(small_start).model.encoder.get_weights()
    after = model_directory.load(tmp_path / "whole").model.encoder.get_weights()
    assert any(not np.array_equal(one, other)
               for one, other in zip(before, after, strict=True))


def test_a_run_whose_only_step_made_nan_says_so(data, small_start, tmp_path):
    settings = dataclasses.replace(SMALL, rows=2, iterations=1, learning_rate=1e38, epochs=1)
    with pytest.raises(Diverged, match="lower the learning rate"):
        fine_tune(data, Start(checkpoint=small_start), settings, tmp_path / "run")


@pytest.mark.parametrize(("task", "change", "message"), [
    ("sst2", {"rows": 1}, "rows should be at least 2"),
    ("sst2", {"iterations": 0}, "iterations should be at least 1"),
    ("sst2", {"class_weights": "balanced"}, "as many rows of each class"),
    ("stsb", {}, "few rows a class are for classification, and the task stsb is regression"),
    ("squad", {}, "and the task squad is question_answering"),
])
def test_what_cannot_be_is_said(task, change, message):
    with pytest.raises(mb.InputError, match=message):
        dataclasses.replace(SMALL, **change).check(catalogue.of(task))


def test_another_pooler_is_refused(data, small_start, tmp_path):
    with pytest.raises(mb.InputError, match="reads the mean of the states"):
        fine_tune(data, Start(checkpoint=small_start, pooler="tanh"), SMALL, tmp_path / "a")
