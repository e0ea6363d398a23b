"""Workers that are asked to stop, that hang, and that share a slow disk."""

import os
import signal

import pytest

from .worker_runs import assert_near, finish, lines, make_place, wait_for_lines, workers

pytestmark = pytest.mark.slow

STEPS = 100
# A checkpoint has at least three files to be flushed, and its directory.
SLOW_DISK = """
import time
from mobilebert_tf import files
right = files.flush
files.flush = lambda path: (time.sleep(9), right(path))
"""


@pytest.fixture(scope="module")
def place(make_corpus, tmp_path_factory):
    directory = tmp_path_factory.mktemp("place")
    return make_place(make_corpus(directory / "corpus"), directory)


@pytest.fixture(scope="module")
def whole(place):
    """The directory of a run of two workers that nothing stopped."""
    finish(*workers(place, place / "whole", STEPS))
    return place / "whole"


@pytest.mark.parametrize("asked", ["the process group", "worker 0", "worker 1"])
def test_workers_that_are_asked_to_stop_end_together_and_continue(asked, place, whole, tmp_path):
    """There is one checkpoint, which the signal made."""
    both = workers(place, tmp_path / "run", STEPS, "--checkpoint-every", 10 * STEPS)
    wait_for_lines(tmp_path / "run", 10, both)
    if asked == "the process group":
        os.killpg(both[0].pid, signal.SIGTERM)
    else:
        both[int(asked[-1])].send_signal(signal.SIGTERM)
    chief, _ = finish(*both, status=128 + signal.SIGTERM)
    assert "stopped at stage 1 of 1, step" in chief
    (checkpoint,) = (tmp_path / "run" / "checkpoints").glob("stage-*")
    step = int(checkpoint.name.rpartition("-")[2])
    assert len(lines(tmp_path / "run")) == step
    chief, _ = finish(*workers(place, tmp_path / "run", STEPS, "--checkpoint-every", 10 * STEPS))
    assert f"continuing at stage 1 of 1, step {step}" in " ".join(chief.split())
    assert_near(lines(tmp_path / "run"), lines(whole))


@pytest.mark.parametrize("victim", [0, 1])
def test_a_worker_that_hangs_ends_the_others_and_all_continue(victim, place, whole, tmp_path):
    both = workers(place, tmp_path / "run", STEPS, "--checkpoint-every", 4)
    wait_for_lines(tmp_path / "run", 10, both)
    both[victim].send_signal(signal.SIGSTOP)
    said, = finish(both[1 - victim], status=2)
    assert "a worker is gone" in " ".join(said.split())
    # It wakes up and finds itself alone.
    both[victim].send_signal(signal.SIGCONT)
    assert both[victim].wait(300) != 0
    both[victim].stdout.close()
    chief, _ = finish(*workers(place, tmp_path / "run", STEPS, "--checkpoint-every", 4))
    assert "continuing at stage 1 of 1" in " ".join(chief.split())
    assert_near(lines(tmp_path / "run"), lines(whole))


def test_a_slow_disk_only_takes_time(place, tmp_path):
    """A checkpoint takes longer than the half minute after which a lost worker is noticed."""
    finish(*workers(place, tmp_path / "fast", 4))
    finish(*workers(place, tmp_path / "slow", 4, "--checkpoint-every", 2, before=SLOW_DISK))
    assert_near(lines(tmp_path / "slow"), lines(tmp_path / "fast"))
