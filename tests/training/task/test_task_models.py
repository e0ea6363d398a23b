"""Which teacher and student a task, a pooler and a vocabulary allow."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import Vocabulary
from mobilebert_tf.training.task import task_models
from mobilebert_tf.training.task.task_plan import TaskPlan

from .distilling import run


def test_a_student_of_a_preset_starts_from_its_teachers_embedding(place, tmp_path):
    said = []
    result = mb.distill_task(
        "micro_bert", tmp_path / "run", teacher=str(place("classification") / "teacher"),
        task="classification", data=place("classification"), text="said", label="mood",
        plan=TaskPlan(epochs=1, batch_size=8), say=said.append)
    assert any(line.startswith("copied from the teacher: bert/embeddings") for line in said)
    assert result.model == tmp_path / "run"


def test_a_model_of_another_task_gives_its_encoder_alone(place, tmp_path):
    task = "stsb"
    result = run(place(task), tmp_path / "run", task,
                 student=str(place("classification") / "student"),
                 plan=TaskPlan(epochs=1, batch_size=8))
    assert model_directory.load(result.model).kind.name == "regression"


def test_a_teacher_of_another_task_is_refused(place, save_model, make_model, tmp_path):
    with pytest.raises(InputError, match="is for regression; the task classification needs a model "
                                         "for classification .the teacher is fine-tuned on the "
                                         "task first"):
        run(place("classification"), tmp_path / "run", teacher=str(place("stsb") / "teacher"))
    with pytest.raises(InputError, match="micro has random weights, which cannot teach"):
        run(place("classification"), tmp_path / "run", teacher="micro")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("pooler", "match"), [
    ("relu", "teacher has no pooler relu, and a new one has random weights, which cannot teach"),
    ("segment_match", "head of .*teacher cannot read the pooler segment_match, and a new one has")])
def test_a_teacher_with_another_pooler_keeps_what_it_learned(pooler, match, place, make_task,
                                                             tmp_path):
    task = make_task("classification", tmp_path)
    name = str(place("classification") / "teacher")
    with pytest.raises(InputError, match=match):
        task_models.load_teacher(name, task, pooler)
    own = model_directory.load(name).model
    found = task_models.load_teacher(name, task, "mean").model
    assert (own.config.pooler, found.config.pooler) == ("tanh", "mean")
    for one, other in zip(found.head.get_weights(), own.head.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_student_whose_head_cannot_read_the_pooler_has_a_new_one(place, make_task, tmp_path):
    task = make_task("classification", tmp_path)
    there = place("classification")
    teacher = task_models.load_teacher(str(there / "teacher"), task)
    own = model_directory.load(there / "student").model.head.get_weights()
    heads = [task_models.load_student(str(there / "student"), task, teacher, None,
                                      pooler).model.head.get_weights()
             for pooler in ("mean", "segment_match")]
    np.testing.assert_array_equal(heads[0][0], own[0])
    assert heads[1][0].shape == (4 * own[0].shape[0], own[0].shape[1])


def test_a_student_that_reads_other_tokens_is_refused(place, make_task, tmp_path):
    task, there = make_task("classification", tmp_path), place("classification")
    teacher = task_models.load_teacher(str(there / "teacher"), task)
    for changes, match in (
            ({"lower_case": False}, "student is uncased and the teacher cased; student and"),
            ({"vocabulary": Vocabulary(teacher.vocabulary.pieces[::-1])},
             "student has another vocabulary than the teacher")):
        with pytest.raises(InputError, match=match):
            task_models.load_student(str(there / "student"), task,
                                     dataclasses.replace(teacher, **changes), None)
