"""Runs of several workers on this machine, each a process of its own."""

import dataclasses
import json
import os
import subprocess
import sys

import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.kinds.fill_mask import FillMask
from mobilebert_tf.model_directory import ModelDirectory

from ..processes import MAIN, free_ports


def make_place(corpus, directory):
    """Put a teacher and a student of one block beside a corpus; return the directory."""
    for name, preset in (("teacher", "micro_ib_bert"), ("student", "micro")):
        config = dataclasses.replace(mb.presets.get(preset), num_blocks=1, num_feed_forwards=1)
        model_directory.save(directory / name, ModelDirectory(
            mb.Pretrainer(mb.Encoder(config)), corpus.vocabulary(), FillMask()))
    return directory


def distil(place, directory, steps, *more, environment=None, before="", group=None):
    """Start a run.

    Args:
      place: of `make_place`.
      directory: for the run.
      steps: how many.
      more: arguments.
      environment: variables.
      before: Python code that the process runs first.
      group: the process group to be in, 0 for a new one; None for that of the tests.
    """
    arguments = ["distill", "--teacher", "teacher", "--student", "student", "--corpus", "corpus",
                 "--strategy", "auxiliary", "--transfer-steps", steps // 2,
                 "--distillation-steps", steps // 2, "--batch-size", 8, "--log-every", 1,
                 "--output", directory, *more]
    return subprocess.Popen([sys.executable, "-c", before + MAIN, *map(str, arguments)],
                            cwd=place, text=True, env=os.environ | (environment or {}),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            preexec_fn=None if group is None else lambda: os.setpgid(0, group))


def workers(place, directory, steps, *more, directories=None, count=2, before=""):
    """Start processes on this machine, in a process group of which the first one is the leader."""
    addresses = [f"127.0.0.1:{port}" for port in free_ports(count)]
    started = []
    for index in range(count):
        environment = {"TF_CONFIG": json.dumps({"cluster": {"worker": addresses},
                                                "task": {"type": "worker", "index": index}})}
        started.append(distil(
            place, directories[index] if directories else directory, steps, "--devices", "workers",
            *more, environment=environment, before=before,
            group=started[0].pid if started else 0))
    return started


def assert_near(some, others):
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        assert one.keys() == other.keys()
        for name, value in one.items():
            assert value == (other[name] if isinstance(value, str) else pytest.approx(
                other[name], rel=1e-5, abs=1e-5)), (name, one)
