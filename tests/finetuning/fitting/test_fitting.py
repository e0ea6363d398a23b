"""How epochs follow each other: what is scored, saved, recorded and said."""

import dataclasses
import json

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from mobilebert_tf.data.features.batches import PaddedBatches
from mobilebert_tf.finetuning import fitting as module
from mobilebert_tf.finetuning.diverged import Diverged
from mobilebert_tf.finetuning.epoch_progress import EpochProgress

from ...weights import same
from .runs import SCORES, SETTINGS


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
    real, asked = PaddedBatches.dataset, []
    monkeypatch.setattr(PaddedBatches, "dataset",
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
    with pytest.raises(Diverged, match="stopped being a number in the first epoch; lower the lear"):
        start(scores=(None,))()


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
