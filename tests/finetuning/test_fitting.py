"""A bag of words in place of a model: how epochs follow each other is what is tested here."""

import dataclasses
import json
import os
import signal
import types

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import mobilebert_tf as mb
from mobilebert_tf.data.features.batches import Batches
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.finetuning import fitting as module
from mobilebert_tf.finetuning import within_epoch
from mobilebert_tf.finetuning.diverged import Diverged
from mobilebert_tf.finetuning.epoch_progress import EpochProgress
from mobilebert_tf.finetuning.fitting import Fitting
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.finetuning.within_epoch import WithinEpoch
from mobilebert_tf.optimization.averages import Averages
from mobilebert_tf.resuming.checkpoints import Position, RunCheckpoints
from mobilebert_tf.resuming.random_state import dropout_generators, make_dropout_restorable
from mobilebert_tf.resuming.stopping import Stopped

SETTINGS = FineTuningSettings(learning_rate=1e-2, batch_size=8, epochs=4, length=32, seed=1)
SCORES = (0.1, 0.9, 0.5, 0.9)
LOSSES = {"loss": keras.losses.SparseCategoricalCrossentropy(from_logits=True)}


@pytest.fixture(scope="module")
def batches():
    """Rows of the word 3 or 4, which is their class, among others."""
    random = np.random.default_rng(0)
    labels = random.integers(2, size=40).tolist()
    ids = [np.int32([2, 3 + label, *random.integers(5, 9, random.integers(2, 20))])
           for label in labels]
    return Batches(Features(ids, [len(row) for row in ids], labels), SETTINGS.length,
                   SETTINGS.batch_size, 0)


@pytest.fixture(scope="module")
def built():
    """The model, with dropout, and the weights that it begins with."""
    make_dropout_restorable()
    keras.utils.set_random_seed(1)
    inputs = {name: keras.Input((None,), dtype=tf.int32, name=name)
              for name in ("input_word_ids", "input_mask", "input_type_ids")}
    words = tf.one_hot(inputs["input_word_ids"], 9)
    real = tf.cast(inputs["input_mask"], tf.float32)[..., tf.newaxis]
    bag = keras.layers.Dropout(0.3)(tf.reduce_sum(words * real, axis=1))
    model = keras.Model(inputs, keras.layers.Dense(2)(bag))
    return model, model.get_weights()


class Run:
    """A run in a directory; each call is a start of the same command in a new process."""

    def __init__(self, built, batches, directory, scores=SCORES, settings=SETTINGS,
                 class_weight=None, checkpoint_seconds=600.0, losses=LOSSES):
        self.model, self._weights = built
        self._checkpoint_seconds, self._losses = checkpoint_seconds, losses
        self._batches, self._scores, self._settings = batches, scores, settings
        self.directory, self.saved, self.killed_in = directory, [], None
        self.said, self.said_of_epochs = [], []
        self.saved_scores, self._class_weight = [], class_weight

    @property
    def epoch(self):
        """The one that is done, whichever process has come to it."""
        return int(self.model.optimizer.iterations) // self._batches.steps

    def validate(self):
        score = self._scores[self.epoch - 1]
        return None if score is None else {"loss_of": 1 - score, "mine": score}

    def save(self, scores):
        self.saved_scores.append(scores)
        self.saved.append(self.model.get_weights())

    def __call__(self):
        self.model.set_weights(self._weights)
        for index, generator in enumerate(dropout_generators(self.model)):
            generator.reset_from_seed(index)
        checkpoints = RunCheckpoints(self.directory / "checkpoints", {}, keep=2)
        return Fitting(self.model, self._losses, self._batches, self.validate, "mine",
                       self._settings, self.directory, checkpoints, self.save, self._class_weight,
                       self._checkpoint_seconds).run(self.say)

    def say(self, line):
        (self.said_of_epochs if line.startswith("epoch ") else self.said).append(line)


@pytest.fixture
def start(built, batches, tmp_path):
    return lambda **arguments: Run(built, batches, tmp_path / "run", **arguments)


@pytest.fixture(scope="module")
def whole(built, batches, tmp_path_factory):
    """A run that nothing interrupted, what it returned and its last weights."""
    run = Run(built, batches, tmp_path_factory.mktemp("whole"))
    return run, run(), run.model.get_weights()


def same(some, others):
    return all(np.array_equal(one, other) for one, other in zip(some, others, strict=True))


def test_the_first_of_the_best_epochs_is_the_one_that_is_saved(whole):
    run, result, last = whole
    assert (result.best_epoch, result.metric, result.score) == (2, "mine", 0.9)
    assert result.scores == {"loss_of": pytest.approx(0.1), "mine": 0.9}
    assert result.history["val_mine"] == list(SCORES)
    assert set(result.history) == {"loss", "val_mine", "val_loss_of"}
    assert len(run.saved) == 2  # epochs 1 and 2
    assert [scores["mine"] for scores in run.saved_scores] == list(SCORES[:2])
    assert run.saved_scores[1] == result.scores
    assert not same(run.saved[0], run.saved[1])
    assert not same(run.saved[1], last)
    assert json.loads((run.directory / "epochs.json").read_text())["history"] == result.history


def test_nothing_but_keras_own_function_is_converted_by_autograph(start, converted):
    start(settings=dataclasses.replace(SETTINGS, epochs=1, ema_momentum=0.9))()
    assert {name.split(".")[0] for name in converted} <= {"tf_keras"}


def test_each_process_says_once_that_it_builds_the_graph(start, monkeypatch):
    said = []

    class Shown(EpochProgress):
        def __init__(self, epoch, steps, builds, done):
            said.append((epoch, builds))
            super().__init__(epoch, steps, builds, done)

    monkeypatch.setattr(module, "EpochProgress", Shown)
    start(settings=dataclasses.replace(SETTINGS, epochs=2))()
    start()()
    assert said == [(1, True), (2, False), (3, True), (4, False)]


def test_learns(whole):
    losses = whole[1].history["loss"]
    assert losses[-1] < losses[0] - 0.05


def test_epochs_are_recorded_with_their_scores(whole):
    events = EventAccumulator(str(whole[0].directory / "logs")).Reload()
    shown = {tag: [(event.step, event.tensor_proto.float_val[0]) for event in events.Tensors(tag)]
             for tag in events.Tags()["tensors"]}
    assert shown.keys() == {"train/loss", "train/learning_rate", "validation/mine",
                            "validation/loss_of"}
    assert shown["validation/mine"] == list(zip((1, 2, 3, 4), map(np.float32, SCORES), strict=True))
    losses = whole[1].history["loss"]
    assert [value for _, value in shown["train/loss"]] == pytest.approx(losses)
    rates = [value for _, value in shown["train/learning_rate"]]
    assert rates[:3] == sorted(rates[:3], reverse=True)
    assert rates[-1] == 0 < rates[0] < SETTINGS.learning_rate


def test_says_the_scores_of_each_epoch(start, capsys):
    run = start(settings=dataclasses.replace(SETTINGS, epochs=2), scores=(0.125, 0.25))
    losses = run().history["loss"]
    assert [line.rpartition(", ")[0] for line in run.said_of_epochs] == [
        f"epoch 1: loss {losses[0]:.4f}, dev loss_of 0.8750, dev mine 0.1250",
        f"epoch 2: loss {losses[1]:.4f}, dev loss_of 0.7500, dev mine 0.2500"]
    assert capsys.readouterr().out == ""  # Keras counts only the steps of this process


def test_patience_ends_a_run_that_gets_no_better(start, monkeypatch):
    real, asked = Batches.dataset, []
    monkeypatch.setattr(Batches, "dataset",
                        lambda *arguments: asked.append(arguments[1:]) or real(*arguments))
    run = start(scores=(0.5, 0.4, 0.5, 0.9),
                settings=dataclasses.replace(SETTINGS, patience=2))
    result = run()
    assert (result.best_epoch, result.history["val_mine"]) == (1, [0.5, 0.4, 0.5])
    # Over is over, also for the next start.
    assert run().history == result.history
    assert asked == [(1, 0), (1, 1), (1, 2)]  # each epoch has its order


def test_the_rate_rises_for_a_part_of_the_steps_and_falls_for_the_rest(start, batches):
    run = start(settings=dataclasses.replace(SETTINGS, epochs=1, weight_decay=0.25,
                                             warmup_fraction=0.5))
    run()
    found = run.model.optimizer.get_config()
    assert found["weight_decay"] == 0.25
    assert found["learning_rate"]["config"] == {
        "peak": 1e-2, "steps": batches.steps, "warmup_steps": batches.steps // 2, "end": 0.0}


def test_a_loss_that_is_no_number_in_the_first_epoch_is_named(start):
    run = start(settings=dataclasses.replace(SETTINGS, learning_rate=1e38))
    with pytest.raises(Diverged, match="in the first epoch; lower the learning rate"):
        run()
    assert not run.saved
    assert not (run.directory / "epochs.json").exists()


def test_a_loss_that_is_no_number_later_ends_training_with_the_best_before(start):
    run = start()
    save = run.save

    def break_weights(scores):
        save(scores)
        run.model.set_weights([np.full_like(value, np.nan) for value in run.saved[0]])

    run.save = break_weights
    result = run()
    assert (result.best_epoch, result.history["val_mine"]) == (1, [0.1])
    assert len(run.saved) == 1
    assert run.said == ["the loss stopped being a number in epoch 2"]


def test_outputs_that_are_no_numbers_end_it_too(start):
    assert start(scores=(0.1, None))().history["val_mine"] == [0.1]


def test_outputs_that_are_no_numbers_in_the_first_epoch_are_named(start):
    with pytest.raises(Diverged):
        start(scores=(None,))()


class Killed(BaseException):
    """As if the process were gone."""


def in_the_epoch(run, patch):
    _die_instead(run, patch, run, "validate")


def before_the_record(run, patch):
    _die_instead(run, patch, module, "write_atomically")


def before_the_checkpoint(run, patch):
    _die_instead(run, patch, RunCheckpoints, "save")


def before_the_model(run, patch):
    _die_instead(run, patch, run, "save")


def after_the_model(run, patch):
    real = run.save

    def save_and_die(scores):
        real(scores)
        if run.epoch == run.killed_in:
            raise Killed

    patch.setattr(run, "save", save_and_die)


def _die_instead(run, patch, owner, name):
    real = getattr(owner, name)

    def maybe(*arguments):
        if run.epoch == run.killed_in:
            raise Killed
        return real(*arguments)

    patch.setattr(owner, name, maybe)


# The second epoch is the best one.
@pytest.mark.parametrize(("epoch", "moment"), [
    (1, in_the_epoch), (1, before_the_checkpoint), (1, before_the_model),
    (2, in_the_epoch), (2, before_the_record), (2, before_the_checkpoint), (2, before_the_model),
    (2, after_the_model), (3, in_the_epoch), (4, before_the_checkpoint)])
def test_killed_at_any_moment_it_ends_as_if_it_had_not_been(whole, start, epoch, moment):
    _, expected, last = whole
    run = start()
    run.killed_in = epoch
    with pytest.MonkeyPatch.context() as patch:
        moment(run, patch)
        with pytest.raises(Killed):
            run()
    assert run() == expected
    assert same(run.model.get_weights(), last)
    # What was written last is the best epoch's model.
    assert same(run.saved[-1], whole[0].saved[1])
    assert run.saved_scores[-1] == whole[0].saved_scores[1]
    record = json.loads((run.directory / "epochs.json").read_text())
    assert record["history"] == expected.history
    assert len(record["seconds"]) == len(expected.history["loss"])


AVERAGED = dataclasses.replace(SETTINGS, ema_momentum=0.9)


@pytest.fixture
def averaged(start, monkeypatch):
    """A run of averages, what the weights were after each step, and at each validation."""
    run, steps, validated = start(settings=AVERAGED), [], []
    update, validate = Averages.update, run.validate

    def recording(averages):
        steps.append(run.model.get_weights())
        update(averages)

    monkeypatch.setattr(Averages, "update", recording)
    run.validate = lambda: validated.append(run.model.get_weights()) or validate()
    run()
    return run, steps, validated


def test_averages_are_scored_and_kept_and_do_not_change_training(averaged, whole, built):
    run, steps, validated = averaged
    averages = [np.float64(value) for value in built[1]]
    expected = []
    for update, weights in enumerate(steps):
        momentum = min(0.9, (1 + update) / (10 + update))
        averages = [momentum * one + (1 - momentum) * other
                    for one, other in zip(averages, weights, strict=True)]
        if (update + 1) % (len(steps) // SETTINGS.epochs) == 0:
            expected.append(averages)
    for found, right in zip(validated, expected, strict=True):
        for one, other in zip(found, right, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)
    assert same(run.saved[-1], validated[1])
    assert same(steps[-1], whole[2])
    assert same(run.model.get_weights(), whole[2])


@pytest.mark.parametrize(("epoch", "moment"), [(2, before_the_model), (3, in_the_epoch)])
def test_killed_it_ends_with_the_same_averages(averaged, built, batches, tmp_path, epoch, moment):
    expected, _, validated = averaged
    run = Run(built, batches, tmp_path / "killed", settings=AVERAGED)
    run.killed_in = epoch
    with pytest.MonkeyPatch.context() as patch:
        moment(run, patch)
        with pytest.raises(Killed):
            run()
    last, validate = [], run.validate
    run.validate = lambda: last.append(run.model.get_weights()) or validate()
    run()
    assert same(run.saved[-1], expected.saved[-1])
    assert same(last[-1], validated[-1])


def after_checkpoint(patch, position, end):
    """Call `end` as soon as the checkpoint of this position is written."""
    real = RunCheckpoints.save

    def save(self, at, state):
        real(self, at, state)
        if at == position:
            end()

    patch.setattr(RunCheckpoints, "save", save)


def die():
    raise Killed


@pytest.mark.parametrize("position", [Position(0, 1), Position(1, 2)])
def test_killed_within_an_epoch_it_continues_from_the_last_checkpoint(whole, start, batches,
                                                                      position):
    _, expected, last = whole
    assert position.step < batches.steps - 1
    run = start(checkpoint_seconds=0.0)
    with pytest.MonkeyPatch.context() as patch:
        after_checkpoint(patch, position, die)
        with pytest.raises(Killed):
            run()
    steps = []
    with pytest.MonkeyPatch.context() as patch:
        real = WithinEpoch.on_train_batch_end
        patch.setattr(WithinEpoch, "on_train_batch_end", lambda *arguments: (
            steps.append(arguments[1]), real(*arguments)))
        # The losses are the means of all steps, to the last bit.
        assert run() == expected
    assert len(steps) == batches.steps * (4 - position.stage) - position.step
    assert run.said == [f"continuing after step {position.step} of {batches.steps} of epoch "
                        f"{position.stage + 1}"]
    assert same(run.model.get_weights(), last)
    assert same(run.saved[-1], whole[0].saved[1])
    record = json.loads((run.directory / "epochs.json").read_text())
    assert len(record["seconds"]) == 4


def test_killed_within_an_epoch_it_continues_with_its_averages(averaged, built, batches, tmp_path):
    """A checkpoint has the average of the step that it follows."""
    expected, _, validated = averaged
    run = Run(built, batches, tmp_path / "killed", settings=AVERAGED, checkpoint_seconds=0.0)
    with pytest.MonkeyPatch.context() as patch:
        after_checkpoint(patch, Position(1, 2), die)
        with pytest.raises(Killed):
            run()
    last, validate = [], run.validate
    run.validate = lambda: last.append(run.model.get_weights()) or validate()
    run()
    assert same(run.saved[-1], expected.saved[-1])
    assert same(last[-1], validated[-1])


def test_killed_within_an_epoch_the_losses_of_two_outputs_are_those_of_all_steps(
        built, batches, tmp_path):
    losses = {}
    for name in ("whole", "killed"):
        model = keras.Model(built[0].input, {
            "one": keras.layers.Activation("linear", name="one")(built[0].output),
            "other": keras.layers.Activation("relu", name="other")(built[0].output)})
        two = {"loss": {"one": LOSSES["loss"], "other": LOSSES["loss"]},
               "loss_weights": {"one": 0.25, "other": 0.75}}
        run = Run((model, built[1]), TwoTargets(batches), tmp_path / name, losses=two,
                  checkpoint_seconds=0.0)
        if name == "killed":
            with pytest.MonkeyPatch.context() as patch:
                after_checkpoint(patch, Position(0, 2), die)
                with pytest.raises(Killed):
                    run()
        history = run().history
        losses[name] = {key: history[key] for key in ("loss", "one_loss", "other_loss")}
    assert losses["killed"] == losses["whole"]
    found = losses["whole"]
    assert found["loss"][0] == pytest.approx(
        0.25 * found["one_loss"][0] + 0.75 * found["other_loss"][0], rel=1e-5)


class TwoTargets:
    """The batches with the targets of two outputs."""

    def __init__(self, batches):
        self._batches, self.steps = batches, batches.steps

    def dataset(self, seed, epoch):
        return self._batches.dataset(seed, epoch).map(
            lambda inputs, targets: (inputs, {"one": targets, "other": targets})).apply(
                tf.data.experimental.assert_cardinality(self.steps))


def test_the_end_of_an_epoch_waits_for_no_tuning_thread(batches):
    """It would wait up to a minute, at random."""
    assert batches.dataset(1, 0).skip(1).options().autotune.enabled is False


def test_without_its_sums_a_continued_epoch_would_report_the_mean_of_its_last_steps(
        whole, start, monkeypatch):
    run = start(checkpoint_seconds=0.0)
    with pytest.MonkeyPatch.context() as patch:
        after_checkpoint(patch, Position(0, 2), die)
        with pytest.raises(Killed):
            run()
    monkeypatch.setattr(WithinEpoch, "on_epoch_begin", lambda *_: None)
    losses, expected = run().history["loss"], whole[1].history["loss"]
    assert losses[0] != expected[0]
    assert losses[1:] == expected[1:]


def test_a_signal_ends_it_after_the_step_with_a_checkpoint(whole, start, batches):
    run = start()
    with pytest.MonkeyPatch.context() as patch:
        real = WithinEpoch.on_train_batch_end

        def signalled(self, batch, logs=None):
            if int(run.model.optimizer.iterations) == batches.steps + 2:
                os.kill(os.getpid(), signal.SIGTERM)
            real(self, batch, logs)

        patch.setattr(WithinEpoch, "on_train_batch_end", signalled)
        with pytest.raises(Stopped) as stopped:
            run()
    assert stopped.value.code == 128 + signal.SIGTERM
    assert run.said == [f"stopped after step 2 of {batches.steps} of epoch 2; run it again with "
                        "the same arguments to continue"]
    assert run() == whole[1]
    assert same(run.model.get_weights(), whole[2])


@pytest.mark.parametrize("epoch", [1, SETTINGS.epochs])
def test_a_signal_while_it_scores_ends_it_after_the_epoch(whole, start, epoch):
    """In the last epoch too, so that the next run of a grid does not begin."""
    run = start()
    validate = run.validate

    def signalled():
        if run.epoch == epoch:
            run.validate = validate
            os.kill(os.getpid(), signal.SIGTERM)
        return validate()

    run.validate = signalled
    with pytest.raises(Stopped):
        run()
    assert run.said == [f"stopped after epoch {epoch}; run it again with the same arguments to "
                        "continue"]
    assert run() == whole[1]


def test_seconds_of_an_epoch_are_those_of_all_its_processes(start, batches, monkeypatch):
    """A clock that goes on by one second per step, and stands still in between."""
    run, clock = start(checkpoint_seconds=1.0), [0.0]
    real = WithinEpoch.on_train_batch_end

    def step(self, batch, logs=None):
        clock[0] += 1
        real(self, batch, logs)

    monkeypatch.setattr(WithinEpoch, "on_train_batch_end", step)
    for owner in (module, within_epoch):
        monkeypatch.setattr(owner, "time", types.SimpleNamespace(monotonic=lambda: clock[0]))
    with pytest.MonkeyPatch.context() as patch:
        after_checkpoint(patch, Position(1, 2), die)
        with pytest.raises(Killed):
            run()
    clock[0] += 1000
    run()
    record = json.loads((run.directory / "epochs.json").read_text())
    assert record["seconds"] == [batches.steps] * 4


def test_weights_that_are_lost_are_not_saved_within_an_epoch(start, monkeypatch):
    written = []
    monkeypatch.setattr(RunCheckpoints, "save", lambda _, position, state: written.append(position))
    run = start(settings=dataclasses.replace(SETTINGS, learning_rate=1e38), checkpoint_seconds=0.0)
    with pytest.raises(Diverged):
        run()
    assert len(written) <= 1  # the first step's loss is of the first weights


def test_what_a_run_forgets_would_be_seen(whole, start, monkeypatch):
    run = start()
    run.killed_in = 3
    with monkeypatch.context() as patch:
        in_the_epoch(run, patch)
        with pytest.raises(Killed):
            run()
    real = RunCheckpoints.restore

    def restore(self, state_at, say):
        position = real(self, state_at, say)
        for generator in state_at(position).dropout:
            generator.reset_from_seed(7)
        return position

    monkeypatch.setattr(RunCheckpoints, "restore", restore)
    run()
    assert not same(run.model.get_weights(), whole[2])


def test_unfinished_files_of_a_killed_run_are_removed(whole, start):
    run = start(settings=dataclasses.replace(SETTINGS, epochs=1))
    run.directory.mkdir()
    for name in (".model.keras.a1b2c3d4.unfinished", "deep/.other.a1b2c3d4.unfinished", ".mine"):
        (run.directory / name).mkdir(parents=True)
    run()
    assert {path.name for path in run.directory.glob(".*")} == {".mine"}
    assert not list((run.directory / "deep").iterdir())


def test_a_run_without_the_record_of_its_epochs_is_not_continued(start):
    run = start(settings=dataclasses.replace(SETTINGS, epochs=1))
    run()
    (run.directory / "epochs.json").unlink()
    with pytest.raises(mb.InputError, match="cannot be continued: cannot read .*epochs.json"):
        run()


def test_an_example_weighs_in_the_loss_what_its_class_does(start, batches, tmp_path):
    """At a rate that changes nothing the epoch's loss is that of the first weights."""
    still = dataclasses.replace(SETTINGS, learning_rate=1e-12, epochs=1)
    losses = {}
    for name, weights in (("zero", {0: 1.0, 1: 0.0}), ("one", {0: 0.0, 1: 1.0}),
                          ("both", {0: 3.0, 1: 0.5}), ("all", None)):
        run = start(settings=still, class_weight=weights)
        run.directory = tmp_path / name
        losses[name] = run().history["loss"][0]
    assert losses["all"] == pytest.approx(losses["zero"] + losses["one"], rel=1e-5)
    assert losses["both"] == pytest.approx(3 * losses["zero"] + 0.5 * losses["one"], rel=1e-5)
    assert min(losses.values()) > 0.01
