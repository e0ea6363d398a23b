"""A run that was killed or stopped within an epoch."""

import dataclasses
import json
import os
import signal
import types

import pytest
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.finetuning import fitting as module
from mobilebert_tf.finetuning import within_epoch
from mobilebert_tf.finetuning.diverged import Diverged
from mobilebert_tf.finetuning.within_epoch import WithinEpoch
from mobilebert_tf.resuming.checkpoints import RunCheckpoints
from mobilebert_tf.resuming.position import Position
from mobilebert_tf.resuming.stopping import Stopped

from ...processes import Killed
from ...weights import same
from .runs import (
    AVERAGED,
    LOSSES,
    SETTINGS,
    Run,
    after_checkpoint,
    assert_same_averages,
    die,
)


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
    run = Run(built, batches, tmp_path / "killed", settings=AVERAGED, checkpoint_seconds=0.0)
    with pytest.MonkeyPatch.context() as patch:
        after_checkpoint(patch, Position(1, 2), die)
        with pytest.raises(Killed):
            run()
    assert_same_averages(run, averaged)


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
    with pytest.raises(Diverged, match="stopped being a number in the first epoch"):
        run()
    assert len(written) <= 1  # the first step's loss is of the first weights
