"""What is kept of a teacher teaches as the teacher itself."""

import dataclasses
import itertools

import numpy as np
import pytest

from mobilebert_tf.training.task.task_source import TaskBatches
from mobilebert_tf.training.task.teacher_cache import TeacherCache

from ..steps import take_step
from .conftest import LENGTH, TASKS
from .distilling import make_stage


@pytest.mark.parametrize("name", TASKS)
def test_what_is_kept_of_a_teacher_teaches_as_the_teacher_does(name, make_task, make_rows,
                                                              make_model, tmp_path):
    task = make_task(name, tmp_path, 16)
    rows, teacher, student = make_rows(task, tmp_path), make_model(task, 1), make_model(task, 2)
    stage = make_stage({"label": 1.0, "soft_label": 1.0, "patience": 1.0}, ((0, 1), (1, 0)))
    if name == "squad":
        stage = dataclasses.replace(stage, temperature=1.0)
    kept = TeacherCache(tmp_path / "cache", teacher, rows, LENGTH, 0, blocks=[0, 1]).filled()
    weights = student.get_weights()
    found = []
    for outputs, given in ((None, ()), (kept, kept.names_for(stage))):
        student.set_weights(weights)
        batches = TaskBatches(rows, LENGTH, 0, 8, seed=1, teacher=outputs)
        (batch,) = itertools.islice(batches.dataset(0), 1)
        found.append((take_step(stage, student, teacher, batch, given=given), batch))
    (live, without), (cached, with_outputs) = found
    assert not any(entry.startswith("teacher/") for entry in without)
    assert any(entry.startswith("teacher/head/") for entry in with_outputs)
    assert live["soft_label"] > 0.01
    # Of spans 16 are kept.
    tolerance = {"rel": 0.1 if name == "squad" else 5e-3}
    assert cached == pytest.approx(live, **tolerance)
    assert cached["label"] == live["label"]


def test_the_teacher_is_not_in_the_graph_if_its_outputs_are_kept(make_task, make_rows, make_model,
                                                                tmp_path):
    task = make_task("classification", tmp_path, 16)
    rows, teacher, student = make_rows(task, tmp_path), make_model(task, 1), make_model(task, 2)
    kept = TeacherCache(tmp_path / "cache", teacher, rows, LENGTH, 0).filled()
    stage = make_stage({"soft_label": 1.0})
    (batch,) = itertools.islice(TaskBatches(rows, LENGTH, 0, 8, 1, kept).dataset(0), 1)
    before = take_step(stage, student, teacher, batch, given=("head",))["soft_label"]
    teacher.set_weights([np.full_like(weights, np.nan) for weights in teacher.get_weights()])
    assert np.isfinite([before, take_step(stage, student, teacher, batch,
                                          given=("head",))["soft_label"]]).all()
