"""A teacher's outputs by a Beam job: the bytes of one process, and what it says when it cannot."""

import dataclasses

import numpy as np
import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.fingerprint import fingerprint
from mobilebert_tf.training.task import teacher_cache
from mobilebert_tf.training.task.teacher_cache import TeacherCache

from .conftest import LENGTH

ROWS = 40


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Three files."""
    monkeypatch.setattr(teacher_cache, "_SHARD_ROWS", 16)


@pytest.fixture(scope="module")
def taught(make_taught, tmp_path_factory):
    return make_taught(tmp_path_factory.mktemp("taught"), ROWS)


def outputs(directory):
    return {path.name: path.read_bytes() for path in directory.glob("outputs-*")}


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_job_writes_the_bytes_of_one_process(workers, taught, tmp_path):
    rows, teacher, job = taught
    TeacherCache(tmp_path / "one", teacher, rows, LENGTH, 0, [1]).filled()
    shown = []
    found = TeacherCache(tmp_path / "job", teacher, rows, LENGTH, 0, [1]).filled(
        lambda done, total: shown.append((done, total)),
        write=dataclasses.replace(job, workers=workers).write)
    assert outputs(tmp_path / "job") == outputs(tmp_path / "one")
    assert len(outputs(tmp_path / "job")) == 3
    assert shown[0] == (0, ROWS)
    assert shown[-1] == (ROWS, ROWS)
    assert found.batch(np.arange(ROWS), LENGTH)["teacher/head/logits"].shape[0] == ROWS


def test_a_job_computes_only_what_is_missing(taught, tmp_path):
    rows, teacher, job = taught
    TeacherCache(tmp_path, teacher, rows, LENGTH, 0, [1]).filled()
    whole = outputs(tmp_path)
    (tmp_path / "outputs-00001.safetensors").unlink()
    asked = []

    def write(files, on_rows):
        asked.extend(file.path.name for file in files)
        job.write(files, on_rows)

    TeacherCache(tmp_path, teacher, rows, LENGTH, 0, [1]).filled(write=write)
    assert asked == ["outputs-00001.safetensors"]
    assert outputs(tmp_path) == whole


def test_a_worker_that_sees_another_teacher_says_so(taught, tmp_path):
    rows, teacher, job = taught
    with pytest.raises(InputError, match=f"sees another teacher at {job.teacher}; all workers"):
        TeacherCache(tmp_path, teacher, rows, LENGTH, 0, [1]).filled(
            write=dataclasses.replace(job, weights="0" * 64).write)
    assert not outputs(tmp_path)
    assert not list(tmp_path.glob("*.error"))


def test_numbers_that_are_not_finite_end_the_job(taught, make_task, make_model, save_model,
                                                 tmp_path):
    rows, _, job = taught
    teacher = make_model(job.task, 1)
    teacher.head.set_weights([np.full_like(weights, 1e6) for weights in
                              teacher.head.get_weights()])
    job = dataclasses.replace(job, weights=fingerprint(teacher),
                              teacher=save_model(tmp_path / "teacher", teacher, job.task))
    with pytest.raises(InputError, match="too large for float16, in which they are kept"):
        TeacherCache(tmp_path / "cache", teacher, rows, LENGTH, 0, [1]).filled(write=job.write)
    assert not list((tmp_path / "cache").glob("*.error"))


def test_files_that_nobody_wrote_are_named(taught, tmp_path, monkeypatch):
    """A worker on another machine may write to a directory of its own of the same name."""
    rows, teacher, job = taught
    monkeypatch.setattr("mobilebert_tf.training.task.teacher_job.write_atomically",
                        lambda path, data: None)
    with pytest.raises(InputError, match=r"wrote no .*outputs-00000\.safetensors; all workers must "
                                         "see this directory"):
        TeacherCache(tmp_path, teacher, rows, LENGTH, 0, [1]).filled(write=job.write)
