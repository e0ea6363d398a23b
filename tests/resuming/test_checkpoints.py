"""Checkpoints are whole or absent, and what is damaged, foreign or does not fit is said."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf import files
from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming.checkpoints import RunCheckpoints
from mobilebert_tf.resuming.position import Position

from ..full_disk import fill_after, room_in_a_file

RUN = {"student": {"num_blocks": 2, "hidden_size": 48}, "seed": 1,
       "stages": [{"name": "transfer", "steps": 5}, {"name": "distillation", "steps": 9}]}
VALUES = np.random.default_rng(0).normal(size=(50, 40)).astype(np.float32)


class Model:
    """Two variables; the first one is whole where the second one is damaged."""

    def __init__(self):
        self.first, self.second = tf.Variable(tf.zeros(VALUES.shape)), tf.Variable(VALUES * 0)

    def state(self, _=None):
        return tf.train.Checkpoint(first=self.first, second=self.second)

    def values(self):
        return [self.first.numpy(), self.second.numpy()]

    def set(self, number):
        self.first.assign(VALUES + number)
        self.second.assign(VALUES - number)
        return self


def save(checkpoints, *positions):
    for stage, step in positions:
        checkpoints.save(Position(stage, step), Model().set(100 * stage + step).state())


def names(directory):
    return sorted(path.name for path in directory.iterdir() if path.name != ".lock")


def restore(directory, run=RUN):
    """(position, number that was saved there, what was said)."""
    model, said = Model(), []
    position = RunCheckpoints(directory, run).restore(model.state, said.append)
    if position is None:
        return None, None, said
    first, second = model.values()
    number = round(float((first - second).mean() / 2))
    np.testing.assert_allclose(first, VALUES + number, rtol=1e-6)
    np.testing.assert_allclose(second, VALUES - number, rtol=1e-6)
    return position, number, said


@pytest.fixture
def three(tmp_path):
    """A directory with the checkpoints 0/2, 0/4 and 1/2."""
    save(RunCheckpoints(tmp_path, RUN), (0, 2), (0, 4), (1, 2))
    return tmp_path


def test_the_newest_is_restored_by_stage_then_step(tmp_path):
    assert restore(tmp_path) == (None, None, [])
    save(RunCheckpoints(tmp_path, RUN), (0, 11), (1, 0), (1, 3))
    assert restore(tmp_path) == (Position(1, 3), 103, [])


def test_the_last_ones_are_kept(tmp_path):
    checkpoints = RunCheckpoints(tmp_path, RUN, keep=2)
    save(checkpoints, (0, 9), (0, 10), (1, 0))
    assert names(tmp_path) == ["stage-00-step-00000010", "stage-01-step-00000000"]
    assert checkpoints.newest() == tmp_path / "stage-01-step-00000000"


def newest(directory):
    return directory / "stage-01-step-00000002"


def flip_a_bit(directory):
    path, = newest(directory).glob("weights.data*")
    data = bytearray(path.read_bytes())
    data[-500] ^= 16
    path.write_bytes(data)


def cut_the_data(directory):
    path, = newest(directory).glob("weights.data*")
    path.write_bytes(path.read_bytes()[:-4000])


def cut_the_index(directory):
    path = newest(directory) / "weights.index"
    path.write_bytes(path.read_bytes()[:-10])


def zero_the_index(directory):
    path = newest(directory) / "weights.index"
    path.write_bytes(bytes(path.stat().st_size))


def remove_the_data(directory):
    path, = newest(directory).glob("weights.data*")
    path.unlink()


def remove_the_index(directory):
    (newest(directory) / "weights.index").unlink()


def remove_the_position(directory):
    (newest(directory) / "position.json").unlink()


def break_the_json(directory):
    path = newest(directory) / "position.json"
    path.write_text(path.read_text()[:-9])


def empty_the_json(directory):
    (newest(directory) / "position.json").write_text("[]")


def put_zeros_in_the_json(directory):
    (newest(directory) / "position.json").write_bytes(bytes(100))


def put_a_file_there(directory):
    for path in newest(directory).iterdir():
        path.unlink()
    newest(directory).rmdir()
    newest(directory).write_text("?")


def put_other_variables_there(directory):
    tf.train.Checkpoint(first=tf.Variable(VALUES)).write(str(newest(directory) / "weights"))


@pytest.mark.parametrize("damage", [
    flip_a_bit, cut_the_data, cut_the_index, zero_the_index, remove_the_data, remove_the_index,
    remove_the_position, break_the_json, empty_the_json, put_zeros_in_the_json, put_a_file_there,
    put_other_variables_there])
def test_a_damaged_newest_gives_way_to_the_one_before_and_is_named(three, damage):
    damage(three)
    position, number, said = restore(three)
    assert (position, number) == (Position(0, 4), 4)
    line, = said
    assert str(newest(three)) in line
    assert "trying the one before it" in line


def test_nothing_is_restored_of_a_damaged_checkpoint(three):
    flip_a_bit(three)
    for name in ("stage-00-step-00000002", "stage-00-step-00000004"):
        (three / name / "weights.index").unlink()
    model, said = Model(), []
    with pytest.raises(InputError, match="none of the checkpoints .* another output directory"):
        RunCheckpoints(three, RUN).restore(model.state, said.append)
    assert len(said) == 3
    assert not np.any(model.values())


def test_damaged_ones_do_not_crowd_out_those_that_are_written_after_them(three):
    # Were they counted among the last that are kept, the only whole ones would be removed.
    flip_a_bit(three)
    checkpoints = RunCheckpoints(three, RUN, keep=1)
    position, _, _ = restore(three)
    assert position == Position(0, 4)
    save(checkpoints, (1, 0))
    assert names(three) == ["stage-01-step-00000000"]


def test_one_that_is_written_again_replaces_the_damaged_one(three):
    flip_a_bit(three)
    save(RunCheckpoints(three, RUN), (1, 2))
    assert restore(three) == (Position(1, 2), 102, [])
    assert len(names(three)) == 3


@pytest.mark.parametrize(("change", "said"), [
    ({"seed": 2}, "differs in seed (1, now 2);"),
    ({"student": {"num_blocks": 3, "hidden_size": 48}}, "student.num_blocks (2, now 3);"),
    ({"stages": [RUN["stages"][0], {"name": "distillation", "steps": 12}]},
     "stages[1].steps (9, now 12);"),
    ({"stages": RUN["stages"][:1]}, "differs in stages;"),
    ({"corpus": {"settings": {"seed": 1}, "counters": {}}}, "differs in corpus;"),
    ({"student": {str(name): 1 for name in range(9)}}, "and 7 more;")])
def test_a_checkpoint_of_another_run_is_refused_and_what_differs_is_named(three, change, said):
    model = Model()
    lines = []
    with pytest.raises(InputError, match="is of another run") as refusal:
        RunCheckpoints(three, RUN | change).restore(model.state, lines.append)
    assert said in str(refusal.value)
    assert not lines
    assert not np.any(model.values())


def test_names_that_are_none_of_ours_are_left_alone(three):
    (three / "stage-01-step-00000009.old").mkdir()
    (three / "stage-x-step-y").mkdir()
    assert restore(three)[0] == Position(1, 2)




@pytest.mark.parametrize("room", [0, 50, 4000, 12_000])
def test_a_full_disk_leaves_the_older_ones_as_they_were(three, room):
    # The system's own refusal of what is written beyond a size, wherever that falls.
    before = {path: path.read_bytes() for path in three.rglob("*") if path.is_file()}
    model = Model().set(7)
    with room_in_a_file(room), pytest.raises(InputError, match="cannot write the checkpoint .*"
                                                               "continue from the one before it"):
        RunCheckpoints(three, RUN).save(Position(1, 4), model.state())
    assert {path: path.read_bytes() for path in three.rglob("*") if path.is_file()} == before
    assert len(names(three)) == 3
    assert restore(three)[0] == Position(1, 2)


def test_a_disk_that_is_full_when_it_is_flushed_is_no_success(three, monkeypatch):
    fill_after(0, monkeypatch)
    with pytest.raises(InputError, match="No space left on device"):
        save(RunCheckpoints(three, RUN), (1, 4))
    monkeypatch.undo()
    assert restore(three)[0] == Position(1, 2)


def test_a_checkpoint_that_is_being_written_is_not_seen(three, monkeypatch):
    seen = []
    real = files.flush
    monkeypatch.setattr(files, "flush",
                        lambda path: (seen.append(restore(three)[0]), real(path)))
    save(RunCheckpoints(three, RUN), (1, 4))
    assert set(seen) == {Position(1, 2)}
    assert restore(three)[0] == Position(1, 4)


def test_what_a_killed_process_had_begun_is_removed_by_the_next(three):
    leftover = three / ".stage-01-step-00000004.0123456789abcdef.unfinished"
    leftover.mkdir()
    (leftover / "weights.index").write_text("half")
    save(RunCheckpoints(three, RUN), (1, 4))
    assert len(names(three)) == 3
    assert not leftover.exists()


def test_checkpoints_that_a_killed_process_had_not_removed_yet_are_removed_by_the_next(three):
    shutil.copytree(newest(three), three / "stage-00-step-00000001")
    (three / "stage-00-step-00000000").mkdir()  # in the middle of it
    before = names(three)
    RunCheckpoints(three, RUN, writes=False).restore(Model().state, print)
    assert names(three) == before
    assert restore(three)[0] == Position(1, 2)
    assert names(three) == [name for name in before if name > "stage-00-step-00000001"]
    assert len(names(three)) == 3


def test_a_directory_in_use_is_refused_until_its_process_is_gone(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", "import fcntl, sys, time\n"
         "file = open(sys.argv[1], 'w'); fcntl.flock(file, fcntl.LOCK_EX)\n"
         "print('held', flush=True); time.sleep(60)", str(tmp_path / ".lock")],
        stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    try:
        with pytest.raises(InputError, match="another process is training"), \
                RunCheckpoints(tmp_path, RUN).opened():
            pass
    finally:
        holder.kill()
        holder.wait()
    with RunCheckpoints(tmp_path, RUN).opened():
        pass


def test_a_worker_that_does_not_write_leaves_nothing(three):
    before = names(three)
    save(RunCheckpoints(three, RUN, writes=False), (1, 4))
    assert names(three) == before


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path):
    (tmp_path / "file").write_text("")
    checkpoints = RunCheckpoints(tmp_path / "file" / "checkpoints", RUN)
    with pytest.raises(InputError, match="cannot write"), checkpoints.opened():
        pass
    with pytest.raises(InputError, match="cannot write"):
        save(checkpoints, (0, 1))


def test_positions_are_json_for_people_too(three):
    described = json.loads((newest(three) / "position.json").read_text())
    assert described == {"stage": 1, "step": 2, "run": RUN}

