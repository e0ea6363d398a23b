"""A run that was killed between epochs or while one ends."""

import dataclasses
import json

import pytest

import mobilebert_tf as mb
from mobilebert_tf.resuming.checkpoints import RunCheckpoints

from ...processes import Killed
from ...weights import same
from .runs import (
    AVERAGED,
    SETTINGS,
    Run,
    after_the_model,
    assert_same_averages,
    before_the_checkpoint,
    before_the_model,
    before_the_record,
    in_the_epoch,
)


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


@pytest.mark.parametrize(("epoch", "moment"), [(2, before_the_model), (3, in_the_epoch)])
def test_killed_it_ends_with_the_same_averages(averaged, built, batches, tmp_path, epoch, moment):
    run = Run(built, batches, tmp_path / "killed", settings=AVERAGED)
    run.killed_in = epoch
    with pytest.MonkeyPatch.context() as patch:
        moment(run, patch)
        with pytest.raises(Killed):
            run()
    assert_same_averages(run, averaged)


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
    for name in (".model.keras.a1b2c3d4a1b2c3d4.unfinished",
                 "deep/.other.a1b2c3d4a1b2c3d4.unfinished", ".mine"):
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
