"""Signals, and the same command again: bit for bit the run that nothing interrupted."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

MAIN = "from mobilebert_tf.cli.main import main; main()"
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


def finish(process):
    err = process.communicate()[1]
    assert process.returncode == 0, err
    return err


def recorded(directory):
    path = directory / "epochs.json"
    return len(json.loads(path.read_text())["seconds"]) if path.exists() else 0


def writes_the_model(directory):
    return any(directory.glob(".model.json.*"))


def writes_a_checkpoint(directory):
    return any((directory / "checkpoints").glob(".stage-*"))


def at_once(directory):
    return True


def kill(process, directory, epochs, moment, delay=0.0):
    """SIGKILL when so many epochs are recorded, at the next such moment or after a delay."""
    end(process, directory, epochs, moment, delay, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


def end(process, directory, epochs, moment, delay, number):
    while not (recorded(directory) >= epochs and moment(directory)):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.0002)
    time.sleep(delay)
    process.send_signal(number)
    return process.communicate()[1]


@pytest.mark.slow
@pytest.mark.long
def test_kill_minus_9_in_writes_and_at_random_moments(start, said_by_files, tmp_path):
    whole, killed, temporary = (tmp_path / name for name in ("whole", "killed", "temporary"))
    temporary.mkdir()
    finish(start(whole, temporary))
    draw, left = random.Random(1), []
    # Only of the first epoch it is certain that it is the best so far.
    for epochs, moment, delay in (
            (0, at_once, draw.uniform(0, 4)), (1, writes_the_model, 0),
            (2, at_once, draw.uniform(0, 0.2)), (3, writes_a_checkpoint, 0),
            (5, at_once, draw.uniform(0, 0.2)), (7, at_once, 0), (9, writes_a_checkpoint, 0.002),
            (10, at_once, draw.uniform(0, 0.05)), (11, writes_a_checkpoint, 0),
            (12, at_once, draw.uniform(0, 0.05))):
        assert not (killed / "run.json").exists()
        kill(start(killed, temporary), killed, epochs, moment, delay)
        left += [*killed.rglob("*.unfinished"), *temporary.iterdir()]
        if epochs in (2, 7):
            process = start(killed, temporary)
            said = end(process, killed, epochs + 1, at_once, draw.uniform(0, 0.1), signal.SIGTERM)
            assert process.returncode == 128 + signal.SIGTERM, said
            assert "run it again with the same arguments to continue" in " ".join(said.split())
    process = start(killed, temporary, KILLED_AT_ITS_END)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert (killed / "run.json").exists()
    left += temporary.iterdir()
    assert len({path.name for path in left}) > 10  # or nothing was seen of the cleaning
    assert "is finished already" in finish(start(killed, temporary))
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
