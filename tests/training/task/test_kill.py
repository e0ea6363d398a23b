"""A run that ends at any moment, also by `kill -9`, is finished with the same bytes."""

import itertools
import subprocess

import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.training import stage_files
from mobilebert_tf.training.reporting import Reporting

from ...processes import COMMAND, Killed, finish, kill, wait_for
from ..metrics import count_written
from .distilling import SETTINGS, STAGES, run

ROWS = 9_000  # three files of outputs


def killed(place, directory, at, patch, **keywords):
    """Run until the method `at` of an object is called for the n-th time."""
    owner, name, count = at
    real, calls = getattr(owner, name), itertools.count(1)

    def call(*arguments, **named):
        if next(calls) == count:
            raise Killed
        return real(*arguments, **named)

    with patch.context() as changed:
        changed.setattr(owner, name, call)
        with pytest.raises(Killed):
            run(place, directory, **keywords)


@pytest.mark.slow
@pytest.mark.parametrize("at", [
    (Reporting, "stepped", 3), (Reporting, "stepped", 11), (Reporting, "scored", 2),
    (model_directory, "save", 1)])
def test_a_killed_run_ends_with_the_same_bytes(at, place, said_by_files, tmp_path, monkeypatch):
    keywords = {"stages": STAGES, "settings": mb.TrainingSettings(**SETTINGS, deterministic=True),
                "cache": tmp_path / "cache"}
    run(place("classification"), tmp_path / "whole", **keywords)
    killed(place("classification"), tmp_path / "killed", at, monkeypatch, **keywords)
    run(place("classification"), tmp_path / "killed", **keywords)
    assert said_by_files(tmp_path / "killed") == said_by_files(tmp_path / "whole")


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
    return count_written(directory)


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
