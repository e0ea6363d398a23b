import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import mobilebert_tf as mb
from mobilebert_tf.data.classification import LabelledBatches
from mobilebert_tf.data.glue import LabelledTexts
from mobilebert_tf.evaluation import metrics
from mobilebert_tf.evaluation.metrics import Metric
from mobilebert_tf.finetuning.classification import Settings, fine_tune
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

WORDS = ("no", "yes", "a", "b")
SETTINGS = Settings(learning_rate=1e-3, batch_size=8, epochs=3, length=32, seed=1)


@pytest.fixture
def batches():
    """labels, number of words of each text -> batches; a text is of its label's word and others."""
    tokenizer = mb.Tokenizer(Vocabulary([*SPECIAL_PIECES, *WORDS]))

    def make(labels, counts=None):
        texts = tuple(" ".join([WORDS[label], *["a", "b"] * 12][:count]) for label, count
                      in zip(labels, counts or [3] * len(labels), strict=True))
        return LabelledBatches(LabelledTexts(texts, tuple(labels)), tokenizer, SETTINGS.length,
                               SETTINGS.batch_size)

    return make


@pytest.fixture
def model():
    """A bag of words, with a classifier's inputs and outputs: the loop is what is tested here."""
    inputs = {name: keras.Input((None,), dtype=tf.int32, name=name)
              for name in ("input_word_ids", "input_mask", "input_type_ids")}
    words = tf.one_hot(inputs["input_word_ids"], len(SPECIAL_PIECES) + len(WORDS))
    real = tf.cast(inputs["input_mask"], tf.float32)[..., tf.newaxis]
    return keras.Model(inputs, keras.layers.Dense(2)(tf.reduce_sum(words * real, axis=1)))


def scripted(name, scores):
    """A metric that gives these scores, whatever was predicted."""
    scores = iter(scores)
    return Metric(name, lambda predicted, labels: next(scores))


@pytest.mark.parametrize(("task", "best_epoch", "score"), [
    # Everything acceptable: three of four right, and nothing understood.
    ("sst2", 1, 0.75),
    # 3 true positives, 2 true negatives, 3 false negatives.
    ("cola", 2, 6 / np.sqrt(3 * 6 * 2 * 5)),
])
def test_the_best_epoch_is_best_by_the_tasks_own_metric(
        model, batches, tmp_path, monkeypatch, task, best_epoch, score):
    dev = batches([1, 1, 1, 1, 1, 1, 0, 0])
    predicted = iter([[1] * 8, [1, 1, 1, 0, 0, 0, 0, 0], [0] * 8])
    monkeypatch.setattr(model, "predict",
                        lambda batches, verbose: np.eye(2, dtype=np.float32)[next(predicted)])
    result = fine_tune(model, batches([0, 1] * 8), dev, metrics.of(task), SETTINGS, tmp_path,
                       on_best=lambda: None)
    assert result.best_epoch == best_epoch
    assert result.score == pytest.approx(score)


def test_the_model_is_left_as_it_was_after_the_first_of_the_best_epochs(
        model, batches, tmp_path):
    saved = []
    result = fine_tune(model, batches([0, 1] * 8), batches([0, 1]),
                       scripted("mine", [-1.0, 0.5, 0.5]), SETTINGS, tmp_path,
                       on_best=lambda: saved.append(model.get_weights()))
    assert (result.best_epoch, result.metric, result.score) == (2, "mine", 0.5)
    assert result.history["val_mine"] == [-1.0, 0.5, 0.5]
    assert len(saved) == 2  # epochs 1 and 2; even the worst possible score is better than none
    assert any(np.any(one != two) for one, two in zip(*saved, strict=True))
    for kept, right in zip(model.get_weights(), saved[1], strict=True):
        np.testing.assert_array_equal(kept, right)


def test_scores_are_keras_own_whatever_order_the_batches_have(model, batches, tmp_path):
    random = np.random.default_rng(1)
    labels = random.integers(2, size=40).tolist()
    # Two padded lengths: the short texts come first, wherever they stand in the file.
    dev = batches(labels, random.choice([2, 20], 40).tolist())
    order = np.concatenate([labels for _, labels in dev.dataset()]).tolist()
    assert order != labels
    settings = dataclasses.replace(SETTINGS, learning_rate=0.3)
    result = fine_tune(model, batches([0, 1] * 32), dev, metrics.of("sst2"), settings, tmp_path,
                       on_best=lambda: None)
    kerass = model.evaluate(dev.dataset(), verbose=0, return_dict=True)
    assert result.score > 0.9
    assert result.score == pytest.approx(kerass["accuracy"])
    assert result.history["val_loss"][result.best_epoch - 1] == pytest.approx(
        kerass["loss"], rel=1e-4)


def test_what_is_shown_and_recorded_of_an_epoch_has_the_metric(
        model, batches, tmp_path, capsys):
    result = fine_tune(model, batches([0, 1] * 8), batches([0, 1]),
                       scripted("mine", [0.125, 0.25, 0.5]), SETTINGS, tmp_path,
                       on_best=lambda: None)
    assert set(result.history) == {"loss", "accuracy", "val_loss", "val_mine"}
    assert "val_mine: 0.2500" in capsys.readouterr().out
    (path,) = (tmp_path / "validation").glob("events.*")
    events = EventAccumulator(str(path)).Reload()
    assert set(events.Tags()["tensors"]) == {"epoch_loss", "epoch_mine"}
    recorded = [event.tensor_proto.float_val[0] if event.tensor_proto.float_val else
                np.frombuffer(event.tensor_proto.tensor_content, np.float32)[0]
                for event in events.Tensors("epoch_mine")]
    assert recorded == [0.125, 0.25, 0.5]


def test_a_loss_that_is_no_number_in_the_first_epoch_is_named(model, batches, tmp_path):
    settings = dataclasses.replace(SETTINGS, learning_rate=float("inf"))
    saved = []
    with pytest.raises(mb.InputError, match="in the first epoch; lower the learning rate"):
        fine_tune(model, batches([0, 1] * 8), batches([0, 1]), metrics.of("sst2"), settings,
                  tmp_path, on_best=lambda: saved.append(1))
    assert not saved


def test_a_loss_that_is_no_number_later_ends_training_with_the_best_before(
        model, batches, tmp_path):
    kept = []

    def break_weights():
        kept.extend(model.get_weights())
        model.set_weights([np.full_like(value, np.nan) for value in kept])

    result = fine_tune(model, batches([0, 1] * 8), batches([0, 1]), scripted("mine", [0.1, 0.9]),
                       SETTINGS, tmp_path, on_best=break_weights)
    assert (result.best_epoch, result.score) == (1, 0.1)
    assert len(result.history["loss"]) == 2
    for value, right in zip(model.get_weights(), kept, strict=True):
        np.testing.assert_array_equal(value, right)
