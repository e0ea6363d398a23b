"""Signals, and the same command again: bit for bit the run that nothing interrupted."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from ..processes import (
    MAIN,
    at_any_moment,
    finish,
    in_the_write_of_a_checkpoint,
    kill,
    wait_for,
)

# A process that is killed when run.json is written, and before the checkpoints are removed.
KILLED_AT_ITS_END = f"""
import os, signal
from mobilebert_tf.finetuning import run
write = run._write_record
def killed(*arguments):
    write(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
run._write_record = killed
{MAIN}
"""
EPOCHS = 14


@pytest.fixture
def start(make_data, small_start, tmp_path):
    """directory -> the process of the command, of which only the directory differs."""
    data = make_data(tmp_path / "SST-2", 96, 40)

    def run(directory, temporary, code=MAIN):
        return subprocess.Popen(
            [sys.executable, "-c", code, "finetune", "--task", "sst2", "--data", str(data),
             "--checkpoint", str(small_start), "--epochs", str(EPOCHS), "--batch-size", "16",
             "--learning-rate", "1e-3", "--length", "16", "--output", str(directory)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": str(temporary)})

    return run


def recorded(directory):
    path = directory / "epochs.json"
    return len(json.loads(path.read_text())["seconds"]) if path.exists() else 0


def in_the_write_of_the_model(directory):
    return any(directory.glob(".model.json.*"))


def reach(process, directory, epochs, moment, delay):
    """Wait until so many epochs are recorded, then for such a moment, then for a delay."""
    wait_for(lambda: recorded(directory) >= epochs and moment(directory),
             f"{moment.__name__} after {epochs} epochs", process, pause=0.0002)
    time.sleep(delay)


@pytest.mark.slow
@pytest.mark.long
def test_kill_minus_9_in_writes_and_at_random_moments(start, said_by_files, tmp_path):
    whole, killed, temporary = (tmp_path / name for name in ("whole", "killed", "temporary"))
    temporary.mkdir()
    finish(start(whole, temporary))
    draw, left = random.Random(1), []
    # Only of the first epoch it is certain that it is the best so far.
    for epochs, moment, delay in (
            (0, at_any_moment, draw.uniform(0, 4)), (1, in_the_write_of_the_model, 0),
            (2, at_any_moment, draw.uniform(0, 0.2)), (3, in_the_write_of_a_checkpoint, 0),
            (5, at_any_moment, draw.uniform(0, 0.2)), (7, at_any_moment, 0),
            (9, in_the_write_of_a_checkpoint, 0.002), (10, at_any_moment, draw.uniform(0, 0.05)),
            (11, in_the_write_of_a_checkpoint, 0), (12, at_any_moment, draw.uniform(0, 0.05))):
        assert not (killed / "run.json").exists()
        process = start(killed, temporary)
        reach(process, killed, epochs, moment, delay)
        kill(process)
        left += [*killed.rglob("*.unfinished"), *temporary.iterdir()]
        if epochs in (2, 7):
            process = start(killed, temporary)
            reach(process, killed, epochs + 1, at_any_moment, draw.uniform(0, 0.1))
            process.terminate()
            said, = finish(process, status=128 + signal.SIGTERM)
            assert "run it again with the same arguments to continue" in " ".join(said.split())
    finish(start(killed, temporary, KILLED_AT_ITS_END), status=-signal.SIGKILL)
    assert (killed / "run.json").exists()
    left += temporary.iterdir()
    assert len({path.name for path in left}) > 10  # or nothing was seen of the cleaning
    said, = finish(start(killed, temporary))
    assert "is finished already" in said
    assert not list(temporary.iterdir())

    expected = said_by_files(whole)
    assert {"epochs.json", "logs/events", "model.keras", "model.json", "run.json",
            "vocab.txt"} == expected.keys() - {"logs"}
    assert said_by_files(killed) == expected
    runs = [json.loads((directory / "run.json").read_text()) for directory in (whole, killed)]
    assert len(runs[0]["result"]["history"]["loss"]) == EPOCHS
    records = [json.loads((directory / "epochs.json").read_text()) for directory in (whole, killed)]
    # Those of all processes.
    for record, run in zip(records, runs, strict=True):
        assert len(record["seconds"]) == EPOCHS
        assert run["seconds"] == round(sum(record["seconds"]))
