"""Several processes, or devices, train as one does, and together they can be stopped at any time.
"""

import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
import tensorflow as tf

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.training import devices

COMMAND = [sys.executable, "-c", "from mobilebert_tf.cli.main import main; main()"]
# Seconds until a process is given up: workers notice the end of another after minutes.
ENOUGH = 900


@pytest.fixture(scope="module")
def place(make_corpus, tmp_path_factory):
    """corpus, and a teacher and a student of one block."""
    directory = tmp_path_factory.mktemp("place")
    corpus = make_corpus(directory / "corpus")
    for name, preset in (("teacher", "micro_ib_bert"), ("student", "micro")):
        config = dataclasses.replace(mb.presets.get(preset), num_blocks=1, num_feed_forwards=1)
        model_directory.save(directory / name, ModelDirectory(
            mb.Pretrainer(mb.Encoder(config)), corpus.vocabulary(), FillMask()))
    return directory


def distil(place, directory, steps, *more, environment=None):
    arguments = ["distill", "--teacher", "teacher", "--student", "student", "--corpus", "corpus",
                 "--strategy", "auxiliary", "--transfer-steps", steps // 2,
                 "--distillation-steps", steps // 2, "--batch-size", 8, "--log-every", 1,
                 "--output", directory, *more]
    return subprocess.Popen([*COMMAND, *map(str, arguments)], cwd=place, text=True,
                            env=os.environ | (environment or {}), stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def workers(place, directory, steps, *more, directories=None):
    """Two processes on this machine."""
    addresses = [f"127.0.0.1:{port}" for port in free_ports(2)]
    return [distil(place, directories[index] if directories else directory, steps, "--devices",
                   "workers", *more, environment={"TF_CONFIG": json.dumps(
                       {"cluster": {"worker": addresses},
                        "task": {"type": "worker", "index": index}})})
            for index in range(2)]


def finish(*processes, status=0):
    """What each of them printed."""
    printed = []
    try:
        for process in processes:
            printed.append(process.communicate(timeout=ENOUGH)[0])
            assert process.returncode == status, printed[-1]
    finally:
        for process in processes:
            process.kill()
    return printed


def lines(directory):
    found = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "tokens_per_second"}
            for line in found]


def assert_near(some, others):
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        assert one.keys() == other.keys()
        for name, value in one.items():
            assert value == (other[name] if isinstance(value, str) else pytest.approx(
                other[name], rel=1e-5, abs=1e-5)), (name, one)


@pytest.mark.slow
def test_two_workers_train_as_one_process(place, tmp_path):
    finish(distil(place, tmp_path / "one", 20))
    chief, other = finish(*workers(place, tmp_path / "two", 20))
    assert len(lines(tmp_path / "one")) == 21
    assert_near(lines(tmp_path / "one"), lines(tmp_path / "two"))
    assert "auxiliary 20/20" in chief
    assert "auxiliary 20/20" not in other
    for one, two in zip(*(model_directory.load(tmp_path / name / "model").model.get_weights()
                          for name in ("one", "two")), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("victim", [0, 1])
def test_a_worker_that_is_killed_ends_the_other_and_both_continue(place, tmp_path, victim):
    steps = 300
    finish(*workers(place, tmp_path / "whole", steps, "--checkpoint-every", 4))
    both = workers(place, tmp_path / "killed", steps, "--checkpoint-every", 4)
    metrics = tmp_path / "killed" / "metrics.jsonl"
    while not metrics.exists() or len(metrics.read_text().splitlines()) < 10:
        assert [process.poll() for process in both] == [None, None]
        time.sleep(0.01)
    both[victim].kill()
    both[victim].communicate()
    assert both[victim].returncode == -signal.SIGKILL
    said, = finish(both[1 - victim], status=2)
    assert "a worker is gone" in said.replace("\n", " ")
    chief, _ = finish(*workers(place, tmp_path / "killed", steps, "--checkpoint-every", 4))
    assert "continuing at stage 1 of 1" in chief
    assert_near(lines(tmp_path / "killed"), lines(tmp_path / "whole"))


@pytest.mark.slow
def test_workers_with_directories_of_their_own_are_refused(place, tmp_path):
    finish(distil(place, tmp_path / "first", 20, "--checkpoint-every", 2))
    checkpoints = sorted((tmp_path / "first" / "checkpoints").glob("stage-*"))
    assert len(checkpoints) == 3
    for printed in finish(*workers(place, None, 20, "--checkpoint-every", 2, directories=[
            tmp_path / "first", tmp_path / "second"]), status=2):
        assert "they need one directory that all of them see" in printed.replace("\n", " ")


MIRRORED = """
import sys
import tensorflow as tf
cpu, = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
import mobilebert_tf as mb
mb.distill("student", sys.argv[1], teacher="teacher", corpus="corpus",
           plan=mb.DistillationPlan(strategy="auxiliary", transfer_steps=10,
                                    distillation_steps=10, batch_size=8),
           settings=mb.TrainingSettings(log_every=1),
           strategy=tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]))
"""


@pytest.mark.slow
def test_two_devices_of_one_process_train_as_one(place, tmp_path):
    finish(distil(place, tmp_path / "one", 20))
    finish(subprocess.Popen([sys.executable, "-c", MIRRORED, str(tmp_path / "two")], cwd=place,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    assert_near(lines(tmp_path / "one"), lines(tmp_path / "two"))


def test_one_process_of_a_run_writes(monkeypatch):
    class Resolver:
        def __init__(self, task_type, task_id, jobs):
            self.task_type, self.task_id, self._jobs = task_type, task_id, jobs

        def cluster_spec(self):
            return tf.train.ClusterSpec(self._jobs)

    class Strategy:
        def __init__(self, *arguments):
            self.cluster_resolver = Resolver(*arguments)

    worker, chief = {"worker": ["a:1", "b:1"]}, {"chief": ["c:1"], "worker": ["a:1", "b:1"]}
    # Of a TPU, whose resolver calls the only process a worker or coordinator.
    assert devices.is_chief(Strategy("coordinator", 1, worker))
    monkeypatch.setattr(tf.distribute, "MultiWorkerMirroredStrategy", Strategy)
    assert devices.is_chief(Strategy("worker", 0, worker))
    assert not devices.is_chief(Strategy("worker", 1, worker))
    assert not devices.is_chief(Strategy("worker", 0, chief))
    assert devices.is_chief(Strategy("chief", 0, chief))
    assert devices.is_chief(Strategy(None, None, {}))
    assert devices.is_chief(tf.distribute.get_strategy())
