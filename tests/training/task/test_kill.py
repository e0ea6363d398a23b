"""`kill -9` while a teacher's outputs are kept, and in both stages: the same bytes at the end."""

import subprocess

import pytest

from mobilebert_tf.training import stage_files

from ...processes import COMMAND, finish, kill, wait_for
from ..metrics import lines
from .test_distill_task import STAGES

ROWS = 9_000  # three files of outputs


@pytest.fixture(scope="module")
def start(make_task, make_model, save_model, tmp_path_factory):
    """directory -> the process of the command, of which only the directory differs."""
    place = tmp_path_factory.mktemp("killed")
    task = make_task("classification", place, ROWS)
    for seed, name in enumerate(("teacher", "student")):
        save_model(place / name, make_model(task, seed), task)
    first, second = STAGES
    stage_files.save(place / "stages.json", (
        first, type(second)(**{**vars(second), "epochs": None, "steps": 12})))

    def run(directory):
        return subprocess.Popen(
            [*COMMAND, "distill", "--task", "classification", "--data", str(place), "--text",
             "said", "--label", "mood", "--teacher", str(place / "teacher"), "--student",
             str(place / "student"), "--stages", str(place / "stages.json"), "--log-every", "2",
             "--checkpoint-every", "2", "--deterministic", "--output", str(directory)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    return run


def outputs(directory):
    return len(list(directory.glob("cache/teacher_outputs/outputs-*")))


def logged(directory):
    return len(lines(directory))


@pytest.mark.slow
def test_kill_minus_9(start, said_by_files, tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    finish(start(whole))
    assert outputs(whole) == 3
    seen = []
    for count, least in ((outputs, 1), (outputs, 2), (logged, 1), (logged, 4)):
        process = start(killed)
        # A kill may come late: the next one waits for more than that left.
        least = max(least, seen[-1][1] + 1) if seen and count is logged else least
        wait_for(lambda: count(killed) >= least, f"{least} {count.__name__}", process,  # noqa: B023
                 pause=0.0005)
        kill(process)
        seen.append((outputs(killed), logged(killed)))
    assert 1 <= seen[0][0] < 3  # while outputs were missing
    assert seen[1][1] == 0
    assert 1 <= seen[2][1] < seen[3][1] < logged(whole)
    finish(start(killed))
    assert said_by_files(killed) == said_by_files(whole)
