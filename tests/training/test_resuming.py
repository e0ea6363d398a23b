"""A run that is killed and started again ends where it would have ended, bit for bit."""

import dataclasses
import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.resuming.checkpoints import RunCheckpoints
from mobilebert_tf.resuming.position import Position
from mobilebert_tf.resuming.stopping import Stopped
from mobilebert_tf.training import devices, loop
from mobilebert_tf.training.distillation_plan import DistillationPlan
from mobilebert_tf.training.reporting import Reporting
from mobilebert_tf.training.stage_files import to_json

from ..processes import (
    COMMAND,
    at_any_moment,
    finish,
    in_the_write_of_a_checkpoint,
    kill,
    wait_for,
)
from ..weights import same
from .metrics import count_written


@pytest.fixture(scope="module")
def whole(make_run, tmp_path_factory):
    """A run that nothing interrupted, and its final weights."""
    run = make_run(tmp_path_factory.mktemp("whole"))
    return run, run()


@pytest.fixture(scope="module")
def killed(make_run, killed_at, tmp_path_factory):
    """The directory of a run that died in its first stage and again in its last."""
    run = make_run(tmp_path_factory.mktemp("killed"))
    killed_at(run, 0, 4)
    assert run.checkpoints == ["stage-00-step-00000002"]
    killed_at(run, 1, 5)
    assert run.checkpoints == ["stage-01-step-00000000", "stage-01-step-00000002",
                               "stage-01-step-00000004"]
    return run.directory


@pytest.fixture
def copied(killed, make_run, tmp_path):
    """A run that goes on in a copy of that directory."""
    return make_run(shutil.copytree(killed, tmp_path / "run"))


def signal_after(step, patch):
    """Make a run get SIGTERM after a step of its second stage."""
    real = Reporting.stepped

    def stepped(self, position, scalars):
        real(self, position, scalars)
        if position == Position(1, step):
            os.kill(os.getpid(), signal.SIGTERM)

    patch.setattr(Reporting, "stepped", stepped)


def test_a_killed_run_ends_as_the_whole_one_after_a_signal_too(whole, copied, monkeypatch, capfd):
    with monkeypatch.context() as patch:
        signal_after(5, patch)
        with pytest.raises(Stopped) as stop:
            copied()
    assert stop.value.code == 128 + signal.SIGTERM
    assert copied.checkpoints[-1] == "stage-01-step-00000005"
    said = capfd.readouterr().err
    assert "continuing at stage 2 of 2, step 4" in said
    assert ("stopped at stage 2 of 2, step 5; run it again with the same arguments to continue"
            in said)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL

    before = whole[0].lines()
    assert same(copied(), whole[1])
    # The signal's checkpoint has a line of its own: step 5, and then 6 without it.
    after = [line for line in copied.lines() if (line["stage_index"], line["step"])
             not in ((1, 5), (1, 6))]
    assert after == [line for line in before if (line["stage_index"], line["step"]) != (1, 6)]


def test_a_signal_after_the_last_step_stops_nothing(whole, copied, monkeypatch, capfd):
    """All that is left is to write the model."""
    signal_after(7, monkeypatch)
    assert same(copied(), whole[1])
    assert "stopped at" not in capfd.readouterr().err
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_damaged_checkpoints_cost_time_and_nothing_else(whole, copied, capfd):
    for name in copied.checkpoints[1:]:
        path, = (copied.directory / "checkpoints" / name).glob("weights.data*")
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    assert same(copied(), whole[1])
    assert copied.lines() == whole[0].lines()
    assert capfd.readouterr().err.count("cannot be read") == 2


def forget_moments(state, _):
    for optimizer in state.optimizers:
        for variable in optimizer.variables:
            if variable.dtype.is_floating:
                variable.assign(variable * 0)


def forget_steps_of_the_schedule(state, _):
    for optimizer in state.optimizers:
        optimizer.iterations.assign(0)


def forget_dropout(state, _):
    for generator in state.dropout:
        generator.reset_from_seed(1)


def forget_the_model(state, _):
    state.model.set_weights([value * 0.9 for value in state.model.get_weights()])


def forget_the_data(_, patch):
    real = devices.distributed
    patch.setattr(devices, "distributed",
                  lambda strategy, batches, first_step: real(strategy, batches, 0))


@pytest.mark.parametrize("forget", [
    forget_moments, forget_dropout,
    *(pytest.param(forget, marks=pytest.mark.slow) for forget in (
        forget_steps_of_the_schedule, forget_the_model, forget_the_data))])
def test_a_run_that_forgets_something_ends_elsewhere(whole, copied, monkeypatch, forget):
    real = RunCheckpoints.restore

    def restore(self, state_at, say):
        position = real(self, state_at, say)
        forget(state_at(position), monkeypatch)
        return position

    monkeypatch.setattr(RunCheckpoints, "restore", restore)
    assert not same(copied(), whole[1])


def test_a_run_that_is_over_is_not_trained_again(whole, tmp_path, make_run, monkeypatch):
    run = make_run(shutil.copytree(whole[0].directory, tmp_path / "run"))
    monkeypatch.setattr(loop, "TrainingStep", None)
    assert same(run(), whole[1])
    assert run.lines() == whole[0].lines()


def test_nothing_but_layers_is_converted_by_autograph(make_run, tmp_path, converted):
    last = make_run(tmp_path).stages[1]
    make_run(tmp_path, (dataclasses.replace(last, steps=1),), validation_steps=1)()
    assert not [name for name in converted if ".layers." not in name]


@pytest.fixture
def distil(make_corpus, tmp_path):
    """blocks, steps of a stage -> the command's arguments for progressive transfer to so many
    blocks and distillation, all but the run's directory."""

    def arguments(blocks, steps):
        corpus = make_corpus(tmp_path / "corpus")
        for name, preset in (("teacher", "micro_ib_bert"), ("student", "micro")):
            config = dataclasses.replace(mb.presets.get(preset), num_blocks=blocks,
                                         num_feed_forwards=1)
            model_directory.save(tmp_path / name, ModelDirectory(
                mb.Pretrainer(mb.Encoder(config)), corpus.vocabulary(), FillMask()))
        names = ("embedding", *(f"block_{index}" for index in range(blocks)), "mlm", "nsp")
        plan = DistillationPlan(
            transfer_steps=blocks * steps, distillation_steps=steps, batch_size=8,
            transfer_rate=1e-3, distillation_rate=1e-3)
        described = to_json(plan.stages(names, tuple((index, index) for index in range(blocks))))
        described[-1]["dropout"] = True
        path = tmp_path / "stages.json"
        path.write_text(json.dumps(described))
        return ["distill", "--teacher", tmp_path / "teacher", "--student", tmp_path / "student",
                "--corpus", tmp_path / "corpus", "--stages", path, "--checkpoint-every", 2,
                "--log-every", 1, "--deterministic"]

    return arguments


def start(arguments, directory, temporary):
    return subprocess.Popen([*COMMAND, *map(str, arguments), "--output", str(directory)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "TMPDIR": str(temporary)})


def steps_done(directory):
    return count_written(directory, '"split": "train"')


def in_the_write_of_the_model(directory):
    return any((directory / "model").glob(".model.json.*"))


def kill_at(process, directory, steps, moment, delay=0.0):
    """SIGKILL when so many steps are done, at the next such moment or after a delay."""
    wait_for(lambda: steps_done(directory) >= steps and moment(directory),
             f"{moment.__name__} after {steps} steps", process, pause=0.0005)
    time.sleep(delay)
    kill(process)


@pytest.mark.slow
@pytest.mark.long
def test_kill_minus_9_at_ten_random_moments(distil, said_by_files, tmp_path):
    blocks, steps, kills = 2, 40, 10
    arguments = distil(blocks, steps)
    whole, killed, temporary = (tmp_path / name for name in ("whole", "killed", "temporary"))
    temporary.mkdir()
    finish(start(arguments, whole, temporary))
    draw = random.Random(kills)
    # Across all stages; every other one in the middle of a write.
    moments = [(index * (blocks + 1) * steps // kills, in_the_write_of_a_checkpoint, 0)
               if index % 2 else
               (index * (blocks + 1) * steps // kills, at_any_moment, draw.uniform(0, 0.03))
               for index in range(1, kills)]
    left = []
    for moment in (*moments, ((blocks + 1) * steps, in_the_write_of_the_model, 0)):
        kill_at(start(arguments, killed, temporary), killed, *moment)
        left += [*killed.rglob("*.unfinished"), *temporary.iterdir()]
    assert len({path.name for path in left}) > kills  # or nothing was seen of the cleaning
    finish(start(arguments, killed, temporary))
    assert not list(temporary.iterdir())
    expected = said_by_files(whole)
    assert {"checkpoints/.lock", "curves.png", "logs/events", "metrics.jsonl", "model/model.keras",
            "model/model.json", "model/vocab.txt", "stages.json"} <= expected.keys()
    assert said_by_files(killed) == expected
