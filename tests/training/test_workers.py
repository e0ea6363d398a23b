"""Several processes, or devices, train as one does."""

import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf import model_directory
from mobilebert_tf.training import devices

from ..processes import finish
from .metrics import timeless_lines
from .worker_runs import assert_near, distil, workers


@pytest.fixture(scope="module")
def one(place):
    """The directory of a run of one process."""
    finish(distil(place, place / "one", 20))
    return place / "one"


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.long)])
def test_workers_train_as_one_process(count, place, one, tmp_path):
    """The batch of all of them together is the one process's."""
    chief, *others = finish(*workers(place, tmp_path / "more", 20, count=count))
    assert len(timeless_lines(one)) == 21
    assert_near(timeless_lines(one), timeless_lines(tmp_path / "more"))
    assert "auxiliary 20/20" in chief
    assert len(others) == count - 1
    assert not any("auxiliary 20/20" in printed for printed in others)
    for some, others in zip(*(model_directory.load(run / "model").model.get_weights()
                              for run in (one, tmp_path / "more")), strict=True):
        np.testing.assert_allclose(some, others, rtol=1e-3, atol=1e-5)


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
def test_two_devices_of_one_process_train_as_one(place, one, tmp_path):
    finish(subprocess.Popen([sys.executable, "-c", MIRRORED, str(tmp_path / "two")], cwd=place,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    assert_near(timeless_lines(one), timeless_lines(tmp_path / "two"))


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
