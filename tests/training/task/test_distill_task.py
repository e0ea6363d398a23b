"""Distilling on a task: every kind from files to a directory, what is kept, what is refused."""

import dataclasses
import json

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.evaluate import evaluate
from mobilebert_tf.optimization.averages import Averages
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.training import stage_files
from mobilebert_tf.training.task import distill_task as module
from mobilebert_tf.training.task.task_plan import TaskPlan

from ..metrics import lines
from .conftest import LENGTH, TASKS
from .distilling import SETTINGS, make_stage, run


@pytest.mark.parametrize("name", [
    "classification",
    *(pytest.param(name, marks=pytest.mark.slow) for name in TASKS if name != "classification")])
def test_the_directory_has_the_best_student(name, place, tmp_path):
    result = run(place(name), tmp_path / "run", name)
    written = lines(tmp_path / "run")
    dev = [line for line in written if line["split"] == "dev"]
    assert len(dev) == 2
    assert {"label", "soft_label", "loss"} < written[0].keys()
    best = max(dev, key=lambda line: line[result.metric])
    assert result.score == best[result.metric]
    assert result.best == {"stage": "task", "step": best["step"]}

    contents = model_directory.load(tmp_path / "run")
    assert (contents.task, contents.columns, contents.length) == (name, TASKS[name][1], LENGTH)
    found = evaluate(tmp_path / "run", name, data=place(name), **TASKS[name][1] or {})
    assert found.scores[result.metric] == pytest.approx(result.score, abs=1e-6)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["result"]["scores"] == result.scores
    assert record["result"]["scorings"] == 2
    assert record["task"] == name
    assert (record["preset"], record["checkpoint"]) == (None, str(place(name) / "student"))
    assert record["teacher"] == str(place(name) / "teacher")
    assert record["unlabelled"] is None
    assert [stage["losses"] for stage in record["stages"]] == [{"soft_label": 1.0, "label": 0.5}]
    assert (tmp_path / "run" / "curves.png").exists()


def test_a_student_learns_its_teachers_answers(place, save_model, tmp_path):
    """Here the teacher's encoder with a head of zeros."""
    contents = model_directory.load(place("classification") / "teacher")
    task = catalogue.of("classification", TASKS["classification"][1], contents.labels)
    head = contents.model.head
    head.set_weights([np.zeros_like(weights) for weights in head.get_weights()])
    student = save_model(tmp_path / "student", contents.model, task)
    run(place("classification"), tmp_path / "run", student=student, stages=(make_stage(
        {"soft_label": 1.0}, rates={"head": 1.0}, steps=None, epochs=6, learning_rate=0.1),))
    losses = [line["soft_label"] for line in lines(tmp_path / "run") if line["split"] == "train"]
    assert np.mean(losses[-3:]) < 0.5 * losses[0]


def test_averaged_weights_are_scored_and_kept(place, tmp_path, monkeypatch):
    """The averages by NumPy, from the word table before the run and after each step."""
    scored, after_steps = [], []
    update = Averages.update

    def scores(self):
        scored.append(self._contents.model.encoder.embedding.weights[0].numpy())
        return {"accuracy": float(len(scored)), "matthews": 0.0}

    def recorded(self):
        after_steps.append(self._variables[0].numpy())
        update.__get__(self, Averages)()

    monkeypatch.setattr(module.TaskScoring, "scores", scores)
    monkeypatch.setattr(Averages, "update", recorded)
    average = model_directory.load(
        place("classification") / "student").model.encoder.embedding.weights[0].numpy()
    run(place("classification"), tmp_path / "run", stages=(make_stage(
        {"soft_label": 1.0}, steps=None, epochs=2, ema_momentum=0.5, learning_rate=1e-2),))
    assert len(after_steps) == 10  # 2 epochs of 40 rows in batches of 8
    for number, weights in enumerate(after_steps):
        momentum = min(0.5, (1 + number) / (10 + number))
        average = momentum * average + (1 - momentum) * weights
        if number == 4:
            np.testing.assert_allclose(scored[0], average, atol=1e-6)
    np.testing.assert_allclose(scored[1], average, atol=1e-6)
    assert np.abs(average - after_steps[-1]).max() > 1e-3
    kept = model_directory.load(tmp_path / "run").model.encoder.embedding.weights[0].numpy()
    np.testing.assert_array_equal(kept, scored[1])


def test_only_stages_that_learn_the_task_are_scored_and_the_last_one(place, tmp_path):
    result = run(place("classification"), tmp_path / "run", stages=(
        make_stage({"feature_map": 1.0}, ((1, 1),), name="blocks", steps=None, epochs=1),
        make_stage({"feature_map": 1.0}, ((1, 0),), name="more", steps=2)))
    assert [(line["stage"], line["step"]) for line in lines(tmp_path / "run")
            if line["split"] == "dev"] == [("more", 2)]
    assert result.best == {"stage": "more", "step": 2}
    assert not (tmp_path / "run" / "cache").exists()  # the teacher ran


def test_texts_without_labels_are_learned_from(place, tmp_path):
    (tmp_path / "texts.csv").write_text("said,id\ngood film,1\n,2\nthe cold film,3\n")
    (tmp_path / "more.txt").write_text("warm film\n\ndull\n")
    plan = TaskPlan(epochs=2, batch_size=4)
    run(place("classification"), tmp_path / "run", plan=plan,
        unlabelled=[tmp_path / "texts.csv", tmp_path / "more.txt"])
    cache = json.loads((tmp_path / "run/cache/teacher_outputs/cache.json").read_text())
    assert cache["count"] == 44
    assert json.loads((tmp_path / "run/run.json").read_text())["unlabelled"] == {
        "files": [str(tmp_path / "texts.csv"), str(tmp_path / "more.txt")], "examples": 4}
    (stage,) = stage_files.load(tmp_path / "run/stages.json")
    assert stage.steps == 2 * (44 // 4)  # of 40 labelled rows it would be 2 * 10
    with pytest.raises(InputError, match="another run: it differs in .*rows"):
        run(place("classification"), tmp_path / "run", plan=plan, cache=tmp_path / "other")


@pytest.mark.parametrize(("precision", "deterministic", "is_tpu"), [
    ("float32", False, False), ("mixed_bfloat16", True, True)])
def test_models_are_built_and_rows_padded_as_the_settings_and_devices_ask(
        precision, deterministic, is_tpu, place, tmp_path, monkeypatch, set_up):
    monkeypatch.setattr(module, "Run", set_up.recorder)
    monkeypatch.setattr(module, "needs_static_shapes", lambda strategy: is_tpu)
    with pytest.raises(set_up.Recorded) as recorded:
        run(place("classification"), tmp_path / "run", settings=mb.TrainingSettings(
            precision=precision, deterministic=deterministic, **SETTINGS))
    models = recorded.value.arguments["student"], recorded.value.arguments["teacher"]
    assert {model.encoder.embedding.compute_dtype for model in models} == {
        {"mixed_bfloat16": "bfloat16"}.get(precision, precision)}
    assert set_up.deterministic == [True] * deterministic
    (stage,), source = recorded.value.arguments["stages"], recorded.value.arguments["source"]
    spec = source.batches("train", stage, 8, 1).dataset().element_spec["input_mask"]
    assert spec.shape.is_fully_defined() == is_tpu


def test_another_metric_is_another_run(place, tmp_path):
    """The best student by it is not on the disk."""
    run(place("classification"), tmp_path / "run")
    with pytest.raises(InputError, match=r"another run: it differs in .*metric"):
        run(place("classification"), tmp_path / "run", metric="macro_f1")


def test_batches_that_do_not_fit_are_refused_before_the_teacher_runs(place, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TeacherCache", None)
    for keywords, match in (
            ({"settings": mb.TrainingSettings(**SETTINGS, accumulation=3)}, "no multiple of 3"),
            ({"plan": TaskPlan(batch_size=64)}, "batch size of 64, and the train split of .* has")):
        with pytest.raises(InputError, match=match):
            run(place("classification"), tmp_path / "run", **keywords)


def test_what_does_not_fit_is_refused(place, make_model, save_model, tmp_path):
    there = place("classification")

    def refused(match, **keywords):
        with pytest.raises(InputError, match=match):
            run(there, tmp_path / "run", **keywords)

    refused("augment and augmenter go together", augment=2)
    refused("by_sentence cuts the unlabelled texts, and none are given", by_sentence=True)
    refused("has no metric 'f2'", metric="f2")
    refused("student has 40 positions; give a length of at most 40", length=41)
    refused("length should be a whole number, at least 5", length=4)
    refused("batch size of 64, and the train split of the task classification has 40",
            plan=TaskPlan(batch_size=64, epochs=2))
    refused("needs a student with a masked-LM head",
            stages=(make_stage({"masked_lm": 1.0, "label": 1.0}),))
    refused("soft labels and labels compare no blocks: leave out blocks", blocks=(0,))
    refused("leave out blocks: stages name", blocks=(0,), stages=(make_stage({"label": 1.0}),))
    for mask in ({"whole_word": True}, {"replacement_rate": 0.1}, {"teacher_reads_masks": False}):
        refused("masks or replaces tokens, which is for a corpus",
                stages=(dataclasses.replace(make_stage({"label": 1.0}), **mask),))
    # A classifier reads the pooled state, but feature maps end before it.
    refused("trains pooler, head, which none of its losses depends on", stages=(make_stage(
        {"feature_map": 1.0}, ((0, 0),), rates={"pooler": 1.0, "head": 1.0}),))
    refused("compares block 2 of the teacher, which has 2",
            stages=(make_stage({"feature_map": 1.0}, ((0, 2),)),))
    with pytest.raises(InputError, match="holds a model that is not of an unfinished run"):
        run(there, there / "teacher")
