"""Workers that are asked to stop, are killed, hang, and share a slow disk."""

import os
import re
import signal

import pytest

from ..processes import finish, kill, printed_by, wait_for
from .metrics import count_written, timeless_lines
from .worker_runs import assert_near, workers

pytestmark = [pytest.mark.slow, pytest.mark.long]

STEPS = 120
# A checkpoint has at least three files to be flushed, and its directory. The first one is slow.
SLOW_DISK = """
import time
from mobilebert_tf import files
right, waits = files.flush, [9] * 4
def flush(path):
    if waits and "/.stage-" in str(path):
        time.sleep(waits.pop())
        print("waited")
    right(path)
files.flush = flush
"""


@pytest.fixture(scope="module")
def whole(place):
    """The directory of a run of two workers that nothing stopped."""
    finish(*workers(place, place / "whole", STEPS))
    return place / "whole"


@pytest.fixture
def start(place, tmp_path):
    """steps between checkpoints -> two workers that have gone on for a while in one directory."""

    def started(every):
        directory = tmp_path / "run"
        least = count_written(directory) + 10
        both = workers(place, directory, STEPS, "--checkpoint-every", every)
        wait_for(lambda: count_written(directory) >= least, f"{least} lines of metrics", *both)
        return both

    return started


def checkpoints(directory):
    """The steps of a run's checkpoints."""
    return sorted(int(path.name.rpartition("-")[2])
                  for path in (directory / "checkpoints").glob("stage-*"))


def continued_at(said):
    """The step at which a run said that it continues, None if it began."""
    found = re.search(r"continuing at stage 1 of 1, step (\d+)", " ".join(said.split()))
    return found and int(found[1])


def test_workers_that_are_asked_to_stop_end_together_and_continue(start, place, whole, tmp_path):
    """The signals make the only checkpoints."""
    run, every = tmp_path / "run", 10 * STEPS
    stops = []
    for asked in ("the process group", 0, 1):
        both = start(every)
        if asked == "the process group":
            os.killpg(both[0].pid, signal.SIGTERM)
        else:
            both[asked].send_signal(signal.SIGTERM)
        chief, _ = finish(*both, status=128 + signal.SIGTERM)
        assert "stopped at stage 1 of 1, step" in chief, asked
        assert continued_at(chief) == (stops[-1] if stops else None), asked
        stops.append(count_written(run))
        assert checkpoints(run) == stops, asked
    chief, _ = finish(*workers(place, run, STEPS, "--checkpoint-every", every))
    assert continued_at(chief) == stops[-1]
    assert_near(timeless_lines(run), timeless_lines(whole))


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hangs"])
def test_a_worker_that_is_lost_ends_the_other_and_both_continue(sent, start, place, whole,
                                                                tmp_path):
    run = tmp_path / "run"
    for victim in (0, 1):
        both = start(4)
        if sent == signal.SIGKILL:
            kill(both[victim])
        else:
            both[victim].send_signal(sent)
        said, = finish(both[1 - victim], status=2)
        assert "a worker is gone" in " ".join(said.split()), victim
        if sent == signal.SIGSTOP:
            # It wakes up and finds itself alone.
            both[victim].send_signal(signal.SIGCONT)
            printed_by(both[victim])
            assert both[victim].returncode != 0
    chief, _ = finish(*workers(place, run, STEPS, "--checkpoint-every", 4))
    # Of the first round at least ten steps are there, and of the second one ten more.
    assert continued_at(said) >= 8
    assert continued_at(chief) >= 16
    assert_near(timeless_lines(run), timeless_lines(whole))


def test_a_slow_disk_only_takes_time(place, tmp_path):
    """A checkpoint takes longer than the half minute after which a lost worker is noticed."""
    finish(*workers(place, tmp_path / "fast", 4))
    chief, _ = finish(*workers(place, tmp_path / "slow", 4, "--checkpoint-every", 2,
                               before=SLOW_DISK))
    assert chief.count("waited") == 4
    assert_near(timeless_lines(tmp_path / "slow"), timeless_lines(tmp_path / "fast"))
