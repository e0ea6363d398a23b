import dataclasses
import json
import shutil

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.finetuning import run as module
from mobilebert_tf.finetuning.run import run as fine_tune
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.finetuning.start import Start
from mobilebert_tf.resuming.checkpoints import RunCheckpoints
from mobilebert_tf.tasks import catalogue

from ..processes import Killed
from ..weights import same, saved_weights

SMALL = FineTuningSettings(learning_rate=1e-3, batch_size=16, epochs=3, length=16, seed=3)


@pytest.fixture(scope="module")
def data(make_data, tmp_path_factory):
    return catalogue.data(catalogue.of("sst2"),
                          make_data(tmp_path_factory.mktemp("data") / "SST-2", 320, 64))


@pytest.fixture(scope="module")
def tuned(data, tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs") / "sst2"
    said = []
    result = fine_tune(data, Start(preset="micro", pooler="mean"),
                       dataclasses.replace(SMALL, learning_rate=5e-3, epochs=6), directory,
                       said.append)
    return directory, result, said


def test_learns_from_random_weights_and_keeps_the_best_epoch(tuned):
    directory, result, said = tuned
    assert (result.metric, result.score > 0.9) == ("accuracy", True)
    accuracies = result.history["val_accuracy"]
    assert result.score == max(accuracies)
    assert result.best_epoch == accuracies.index(max(accuracies)) + 1
    assert "320 training and 64 dev examples" in said[0]
    assert "20 steps an epoch" in said[1]


def test_mixed_precision_computes_in_16_bits_and_keeps_the_weights_in_32(data, tmp_path,
                                                                          monkeypatch):
    computed = []
    fitting = module.Fitting

    def spied(model, *arguments, **keywords):
        computed.append((model.encoder.embedding.compute_dtype, model.head.variable_dtype))
        return fitting(model, *arguments, **keywords)

    monkeypatch.setattr(module, "Fitting", spied)
    result = fine_tune(data, Start(preset="micro", pooler="mean"), dataclasses.replace(
        SMALL, precision="mixed_bfloat16", epochs=1), tmp_path / "run", lambda line: None)
    assert computed == [("bfloat16", "float32")]
    assert keras.mixed_precision.global_policy().name == "float32"
    contents = model_directory.load(tmp_path / "run")
    assert contents.model.encoder.embedding.compute_dtype == "float32"
    found = mb.evaluate(tmp_path / "run", "sst2", dev=data.dev_file)
    assert found.scores["accuracy"] == pytest.approx(result.score, abs=0.05)


def test_a_cased_model_tells_words_apart_by_their_case(make_data, tmp_path):
    place = make_data(tmp_path / "SST-2", 64, 32)
    train = place / "train.tsv"
    train.write_text(train.read_text().replace("good", "Good"))
    cased = catalogue.data(catalogue.of("sst2"), place)
    fine_tune(cased, Start(preset="micro", pooler="mean", cased=True),
              dataclasses.replace(SMALL, epochs=1), tmp_path / "run", lambda line: None)
    contents = model_directory.load(tmp_path / "run")
    assert not contents.lower_case
    assert "Good" in contents.vocabulary.pieces
    assert "good" not in contents.vocabulary.pieces


def test_the_directory_holds_all_that_use_needs(tuned):
    directory, result, _ = tuned
    contents = model_directory.load(directory)
    assert (contents.labels, contents.task, contents.length) == (
        ("negative", "positive"), "sst2", 16)
    assert isinstance(contents.model, mb.Classifier)
    assert contents.model.config.pooler == "mean"
    assert {"good", "dull"} <= set(contents.vocabulary.pieces)
    record = json.loads((directory / "run.json").read_text())
    assert record["result"] == dataclasses.asdict(result)
    assert (record["task"], record["settings"]["learning_rate"]) == ("sst2", 5e-3)
    assert len(list((directory / "logs").glob("events.*"))) == 1
    assert not (directory / "checkpoints").exists()

    tokenizer = mb.Tokenizer(contents.vocabulary)
    inputs = mb.text.encode_batch(tokenizer, ["the film good fine", "dull bad film"], length=16)
    assert contents.model.predict(inputs, verbose=0).argmax(axis=1).tolist() == [1, 0]


def test_the_score_is_keras_own_of_the_model_that_is_kept(tuned, data):
    directory, result, _ = tuned
    contents = model_directory.load(directory)
    _, _, dev = data.for_training
    inputs = mb.text.encode_batch(mb.Tokenizer(contents.vocabulary), dev.texts, length=16)
    contents.model.compile(metrics=["accuracy"])
    found = contents.model.evaluate(inputs, np.array(dev.labels), verbose=0, return_dict=True)
    assert result.scores == {"accuracy": pytest.approx(found["accuracy"])}


@pytest.mark.slow
def test_goes_on_from_a_model_directory_with_its_encoder(tuned, data, tmp_path):
    fine_tune(data, Start(checkpoint=tuned[0]),
              dataclasses.replace(SMALL, learning_rate=1e-5, epochs=1), tmp_path / "again",
              lambda line: None)
    # The encoder knows the task already; only the head is new.
    states = [model_directory.load(where).model.encoder for where in (tuned[0], tmp_path / "again")]
    ids = tf.constant([[2, 6, 7, 3, 0]])
    inputs = {"input_word_ids": ids, "input_mask": tf.sign(ids),
              "input_type_ids": tf.zeros_like(ids)}
    old, new = (encoder(inputs)["sequence_output"].numpy() for encoder in states)
    np.testing.assert_allclose(old, new, atol=np.abs(old).max() * 0.05)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"checkpoint": "nowhere"}, "there is no model directory nowhere"),
    ({"preset": "micro", "vocab": "none.txt"}, "cannot read the vocabulary none.txt"),
])
def test_bad_input_is_named_before_anything_is_written(data, tmp_path, arguments, message):
    with pytest.raises(mb.InputError, match=message):
        fine_tune(data, Start(**arguments), SMALL, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("arguments", "message"), [
    ({}, "give either a preset .* or a checkpoint"),
    ({"preset": "micro", "checkpoint": "x"}, "give either a preset .* or a checkpoint"),
    ({"checkpoint": "x", "cased": True}, "cased goes with a preset"),
    ({"preset": "micr"}, "unknown preset 'micr'; did you mean micro"),
    ({"preset": "micro", "pooler": "max"}, "unknown pooler 'max'; known are .*first_token"),
])
def test_what_nothing_can_start_from_is_refused(arguments, message):
    with pytest.raises(mb.InputError, match=message):
        Start(**arguments)


def test_a_length_above_the_positions_is_refused(data, small_start, tmp_path):
    with pytest.raises(mb.InputError, match="has 40 positions; give a length of at most 40"):
        fine_tune(data, Start(checkpoint=small_start), dataclasses.replace(SMALL, length=64),
                  tmp_path / "out")


def test_a_vocabulary_of_another_size_is_refused(small_start, data, tmp_path):
    other = tmp_path / "vocab.txt"
    other.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"]))
    with pytest.raises(mb.InputError, match=r"vocab.txt has 6 pieces, the model .* has 13"):
        fine_tune(data, Start(checkpoint=small_start, vocab=other), SMALL, tmp_path / "out")


@pytest.fixture(scope="module")
def run_small(data, small_start):
    """directory -> fine-tunes there from an encoder with dropout; returns the result and what was
    said."""

    def run(directory, **changes):
        said = []
        result = fine_tune(data, Start(checkpoint=small_start),
                           dataclasses.replace(SMALL, **changes), directory, said.append)
        return result, said

    return run


@pytest.fixture(scope="module")
def whole(run_small, tmp_path_factory):
    directory = tmp_path_factory.mktemp("whole") / "run"
    return directory, run_small(directory)[0]


@pytest.fixture(scope="module")
def killed(run_small, tmp_path_factory):
    """The directory of a run that died when two of its three epochs were done."""
    directory = tmp_path_factory.mktemp("killed") / "run"
    save = RunCheckpoints.save

    def save_and_die(self, position, state):
        save(self, position, state)
        if position.stage == 2:
            raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunCheckpoints, "save", save_and_die)
        with pytest.raises(Killed):
            run_small(directory)
    return directory


@pytest.fixture
def copied(killed, tmp_path):
    return shutil.copytree(killed, tmp_path / "run")


def recorded(directory):
    """run.json but for what depends on the clock and on the machine's memory."""
    found = json.loads((directory / "run.json").read_text())
    return {name: value for name, value in found.items() if name not in ("seconds", "peak_memory")}


def test_a_killed_run_ends_as_the_whole_one(whole, copied, run_small):
    directory, expected = whole
    result, said = run_small(copied)
    assert "continuing after epoch 2" in said
    assert result == expected
    assert recorded(copied) == recorded(directory)
    assert same(saved_weights(copied), saved_weights(directory))


def test_another_runs_directory_is_refused(copied, run_small):
    before = {path: path.stat().st_mtime_ns for path in copied.rglob("*") if path.is_file()
              and path.name != ".lock"}
    with pytest.raises(mb.InputError, match=r"is of another run: it differs in "
                                            r"settings.seed \(3, now 4\)"):
        run_small(copied, seed=4)
    assert before == {path: path.stat().st_mtime_ns for path in copied.rglob("*")
                      if path.is_file() and path.name != ".lock"}


def test_a_finished_run_says_so_and_is_another_ones_with_other_settings(
        whole, tmp_path, run_small, monkeypatch):
    directory = shutil.copytree(whole[0], tmp_path / "run")
    # As where the process was killed right after its end.
    (directory / "checkpoints" / "stage-03-step-00000000").mkdir(parents=True)
    monkeypatch.setattr(module, "Fitting", None)
    result, said = run_small(directory)
    assert (result, said) == (whole[1], [f"{directory} is finished already"])
    assert not (directory / "checkpoints").exists()
    model = (directory / "model.keras").rename(tmp_path / "model.keras")
    with pytest.raises(mb.InputError, match="of a finished run, and its model is gone"):
        run_small(directory)
    model.rename(directory / "model.keras")
    with pytest.raises(mb.InputError, match=r"it differs in settings\.epochs \(3, now 4\);"):
        run_small(directory, epochs=4)
    (directory / "run.json").write_text("{")
    with pytest.raises(mb.InputError, match=r"run.json is not JSON"):
        run_small(directory)


@pytest.mark.parametrize("name", ["dev.tsv", "model.keras"])
def test_a_file_that_was_changed_makes_another_run(
        name, data, small_start, tmp_path):
    read = shutil.copytree(data.dev_file.parent, tmp_path / "data")
    start = shutil.copytree(small_start, tmp_path / "start")

    def run(directory, epochs=1):
        return fine_tune(catalogue.data(data.task, read), Start(checkpoint=start),
                         dataclasses.replace(SMALL, epochs=epochs), directory, lambda line: None)

    run(tmp_path / "done")
    (changed,) = (path for path in (read / name, start / name) if path.exists())
    if name == "dev.tsv":
        changed.write_text(changed.read_text() + "a fine film\t1\n")
    else:
        changed.write_bytes(changed.read_bytes() + b"\0")
    with pytest.raises(mb.InputError, match=rf"it differs in sha256\.{changed}; choose"):
        run(tmp_path / "done")


def test_an_unfinished_run_is_not_continued_on_other_data(copied, data, small_start, tmp_path,
                                                          monkeypatch):
    monkeypatch.setattr(module, "_digests", lambda data, start: {"dev.tsv": "another"})
    with pytest.raises(mb.InputError, match=r"is of another run: it differs in sha256\..*dev.tsv"):
        fine_tune(data, Start(checkpoint=small_start), SMALL, copied, lambda line: None)


def test_a_model_of_something_else_is_not_written_over(small_start, tmp_path, run_small):
    directory = shutil.copytree(small_start, tmp_path / "mine")
    with pytest.raises(mb.InputError, match="mine holds a model that is not of an unfinished"):
        run_small(directory)
    # A directory of this name alone does not make it the run's.
    (directory / "checkpoints").mkdir()
    (directory / "checkpoints" / "notes").write_text("mine")
    with pytest.raises(mb.InputError, match="mine holds a model that is not of an unfinished"):
        run_small(directory)
    assert same(saved_weights(directory), saved_weights(small_start))
    (tmp_path / "words").mkdir()
    shutil.copy(directory / "vocab.txt", tmp_path / "words")
    with pytest.raises(mb.InputError, match="words holds a vocab.txt that is not of an unfinish"):
        run_small(tmp_path / "words")


def test_what_others_keep_beside_checkpoints_and_logs_stays(tmp_path, run_small):
    others = [tmp_path / "run" / name for name in (
        "checkpoints/notes", "checkpoints/mine/model.keras",
        "logs/events.out.tfevents.1700000000.host.1.2.v2")]
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    run_small(tmp_path / "run", epochs=1)
    assert {path.read_text() for path in others} == {"mine"}
    assert sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir()) == [
        "mine", "notes"]


def test_the_metric_that_was_asked_for_chooses_the_epoch_and_classes_weigh_the_same(
        data, small_start, tmp_path, monkeypatch):
    given = {}

    class Fitting(module.Fitting):
        def __init__(self, *arguments, class_weight, **others):
            given.update(metric=arguments[4], class_weight=class_weight)
            super().__init__(*arguments, class_weight=class_weight, **others)

    monkeypatch.setattr(module, "Fitting", Fitting)
    (tmp_path / "train.tsv").write_text("text\tlabel\n" + "good film\tyes\n" * 9
                                        + "bad film\tno\n" * 3)
    task = catalogue.of("classification", {"text": "text", "label": "label"})
    own = catalogue.data(task, None, [tmp_path / "train.tsv"], tmp_path / "train.tsv")
    settings = dataclasses.replace(SMALL, epochs=1, class_weights="balanced", metric="macro_f1")
    result = fine_tune(own, Start(checkpoint=small_start), settings, tmp_path / "run")
    assert given == {"metric": "macro_f1", "class_weight": {
        0: pytest.approx(12 / (2 * 3)), 1: pytest.approx(12 / (2 * 9))}}
    assert (result.metric, set(result.scores)) == ("macro_f1", {"accuracy", "macro_f1"})
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (record["result"]["metric"], record["settings"]["class_weights"]) == (
        "macro_f1", "balanced")
    with pytest.raises(mb.InputError, match="has no metric 'rouge'; known are accuracy"):
        fine_tune(own, Start(checkpoint=small_start), dataclasses.replace(settings, metric="rouge"),
                  tmp_path / "other")
