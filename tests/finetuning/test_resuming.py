"""`kill -9`, and the same command again: bit for bit the run that nothing interrupted."""

import json
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from mobilebert_tf import model_directory

COMMAND = [sys.executable, "-c", "from mobilebert_tf.cli.main import main; main()"]
EPOCHS = 14


@pytest.fixture
def start(make_data, small_start, tmp_path):
    """directory -> the process of the command, of which only the directory differs."""
    data = make_data(tmp_path / "SST-2", 96, 40)

    def run(directory):
        return subprocess.Popen(
            [*COMMAND, "finetune", "--task", "sst2", "--data", str(data), "--checkpoint",
             str(small_start), "--epochs", str(EPOCHS), "--batch-size", "16", "--learning-rate",
             "1e-3", "--length", "16", "--output", str(directory)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    return run


def finish(process):
    err = process.communicate()[1]
    assert process.returncode == 0, err
    return err


def recorded(directory):
    path = directory / "epochs.json"
    return len(json.loads(path.read_text())["seconds"]) if path.exists() else 0


def writes_the_model(directory):
    return any(directory.glob(".model.keras.*"))


def writes_a_checkpoint(directory):
    return any((directory / "checkpoints").glob(".stage-*"))


def at_once(directory):
    return True


def kill(process, directory, epochs, moment, delay=0.0):
    """SIGKILL when so many epochs are recorded, at the next such moment or after a delay."""
    while not (recorded(directory) >= epochs and moment(directory)):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.0002)
    time.sleep(delay)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_kill_minus_9_in_writes_and_at_random_moments(start, tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    finish(start(whole))
    draw = random.Random(1)
    # Only of the first epoch it is certain that it is the best so far.
    for epochs, moment, delay in (
            (1, writes_the_model, 0), (3, writes_a_checkpoint, 0),
            (5, at_once, draw.uniform(0, 0.2)), (7, at_once, 0), (9, writes_a_checkpoint, 0.002),
            (11, at_once, draw.uniform(0, 0.05))):
        kill(start(killed), killed, epochs, moment, delay)
        assert not (killed / "run.json").exists()
    assert "continuing after epoch" in finish(start(killed))

    runs = [json.loads((directory / "run.json").read_text()) for directory in (whole, killed)]
    assert runs[0]["result"] == runs[1]["result"]
    assert len(runs[0]["result"]["history"]["loss"]) == EPOCHS
    records = [json.loads((directory / "epochs.json").read_text()) for directory in (whole, killed)]
    assert records[0]["history"] == records[1]["history"]
    # Those of all processes.
    for record, run in zip(records, runs, strict=True):
        assert len(record["seconds"]) == EPOCHS
        assert run["seconds"] == round(sum(record["seconds"]))
    for one, other in zip(*(model_directory.load(directory).model.get_weights()
                            for directory in (whole, killed)), strict=True):
        np.testing.assert_array_equal(one, other)
    assert sorted(path.name for path in killed.iterdir()) == sorted(
        path.name for path in whole.iterdir())
    assert "is finished already" in finish(start(killed))
