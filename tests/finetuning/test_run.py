import json

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.finetuning.classification import Settings
from mobilebert_tf.finetuning.task import fine_tune_on_task

WORDS = {1: ["good", "fine", "warm"], 0: ["bad", "dull", "cold"]}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A task that a bag of words solves: which of two kinds of words there are more of."""
    directory = tmp_path_factory.mktemp("SST-2")
    random = np.random.default_rng(1)
    for name, count in (("train.tsv", 320), ("dev.tsv", 64)):
        rows = ["sentence\tlabel"]
        for _ in range(count):
            label = int(random.integers(2))
            words = random.choice(WORDS[label], 3).tolist() + ["film", "the"]
            rows.append(f"{' '.join(random.permutation(words))}\t{label}")
        (directory / name).write_text("\n".join(rows) + "\n")
    return directory


def fine_tune(data, directory, settings, **arguments):
    arguments = {"task_name": "sst2", "preset": None, "checkpoint": None, "vocab": None,
                 "pooler": None, **arguments}
    said = []
    result = fine_tune_on_task(data=data, settings=settings, directory=directory, say=said.append,
                        **arguments)
    return result, said


@pytest.fixture(scope="module")
def tuned(data, tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs") / "sst2"
    settings = Settings(learning_rate=5e-3, batch_size=16, epochs=6, length=16, seed=3)
    result, said = fine_tune(data, directory, settings, preset="micro", pooler="mean")
    return directory, result, said


def test_learns_from_random_weights_and_keeps_the_best_epoch(tuned):
    directory, result, said = tuned
    assert (result.metric, result.score > 0.9) == ("accuracy", True)
    accuracies = result.history["val_accuracy"]
    assert result.score == max(accuracies)
    assert result.best_epoch == accuracies.index(max(accuracies)) + 1
    assert "320 training" in said[0]


def test_the_directory_holds_all_that_use_needs(tuned, data):
    directory, result, _ = tuned
    contents = model_directory.load(directory)
    assert contents.labels == ("negative", "positive")
    assert isinstance(contents.model, mb.Classifier)
    assert contents.model.config.pooler == "mean"
    assert {"good", "dull"} <= set(contents.vocabulary.pieces)
    record = json.loads((directory / "run.json").read_text())
    assert (record["result"]["metric"], record["result"]["score"]) == ("accuracy", result.score)
    assert record["settings"]["learning_rate"] == 5e-3
    assert list((directory / "logs" / "train").glob("events.*"))

    tokenizer = mb.Tokenizer(contents.vocabulary)
    inputs = mb.text.encode_batch(tokenizer, ["the film good fine", "dull bad film"], length=16)
    assert contents.model.predict(inputs, verbose=0).argmax(axis=1).tolist() == [1, 0]


def test_goes_on_from_a_model_directory_with_its_encoder(tuned, data, tmp_path):
    directory, result, _ = tuned
    again, _ = fine_tune(data, tmp_path / "again",
                         Settings(learning_rate=1e-5, batch_size=16, epochs=1, length=16),
                         checkpoint=directory)
    # The encoder knows the task already; only the head is new.
    states = [model_directory.load(where).model.encoder
              for where in (directory, tmp_path / "again")]
    ids = tf.constant([[2, 6, 7, 3, 0]])
    inputs = {"input_word_ids": ids, "input_mask": tf.sign(ids),
              "input_type_ids": tf.zeros_like(ids)}
    old, new = (encoder(inputs)["sequence_output"].numpy() for encoder in states)
    np.testing.assert_allclose(old, new, atol=np.abs(old).max() * 0.05)
    assert again.best_epoch == 1


def test_the_same_seed_gives_the_same_run(data, tmp_path):
    settings = Settings(learning_rate=1e-3, batch_size=32, epochs=1, length=16)
    one, two = (fine_tune(data, tmp_path / name, settings, preset="micro")[0] for name in "ab")
    assert one.history["loss"] == pytest.approx(two.history["loss"], rel=1e-5)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"preset": "micro", "pooler": "max"}, "`pooler` should be one of .*first_token"),
    ({"checkpoint": "nowhere"}, "there is no model directory nowhere"),
    ({"preset": "micro", "vocab": "none.txt"}, "cannot read the vocabulary none.txt"),
    ({"preset": "micro", "task_name": "sst1"}, "unknown task 'sst1'"),
])
def test_bad_input_is_named_before_anything_is_written(data, tmp_path, arguments, message):
    with pytest.raises(mb.InputError, match=message):
        fine_tune(data, tmp_path / "out", Settings(length=16), **arguments)
    assert not (tmp_path / "out").exists()


def test_a_length_above_the_positions_is_refused(data, tmp_path):
    with pytest.raises(mb.InputError, match="length 64 is above the model's 40 positions"):
        fine_tune(data, tmp_path / "out", Settings(length=64), preset="micro")


def test_a_vocabulary_of_another_size_is_refused(tuned, data, tmp_path):
    other = tmp_path / "vocab.txt"
    other.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"]))
    with pytest.raises(mb.InputError, match=r"vocab.txt has 6 pieces, the model .* has \d+"):
        fine_tune(data, tmp_path / "out", Settings(length=16), checkpoint=tuned[0], vocab=other)
