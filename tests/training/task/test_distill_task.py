"""Distilling on a task: every kind from files to a directory, what is kept, what is refused."""

import dataclasses
import itertools
import json

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.errors import InputError
from mobilebert_tf.inference.evaluate import evaluate
from mobilebert_tf.optimization.averages import Averages
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.vocabulary import Vocabulary
from mobilebert_tf.training import stage_files
from mobilebert_tf.training.recipes import catalogue as recipes
from mobilebert_tf.training.reporting import Reporting
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.task import distill_task as module
from mobilebert_tf.training.task import task_models
from mobilebert_tf.training.task.task_batches import TaskBatches
from mobilebert_tf.training.task.task_plan import TaskPlan
from mobilebert_tf.training.task.teacher_cache import TeacherCache

from ...processes import Killed
from ..metrics import lines
from ..steps import take_step
from .conftest import LENGTH, TASKS

SETTINGS = {"log_every": 2, "checkpoint_every": 2}
RATES = {"embedding": 1.0, "block_0": 1.0, "block_1": 1.0, "pooler": 1.0, "head": 1.0}


def make_stage(losses, blocks=(), **fields):
    rates = {name: RATES[name] for name in ("embedding", "block_0", "block_1", "head")}
    return Stage(**{"name": "one", "steps": 5, "losses": losses, "rates": rates, "blocks": blocks,
                    "learning_rate": 1e-3, "batch_size": 8, "optimizer": "adamw", **fields})


@pytest.fixture(scope="module")
def place(make_task, make_model, save_model, tmp_path_factory):
    """name of a task -> directory with its files, and with a teacher and a student."""
    made = {}

    def of(name):
        if name not in made:
            directory = tmp_path_factory.mktemp(name)
            task = make_task(name, directory)
            save_model(directory / "teacher", make_model(task, 1), task)
            save_model(directory / "student", make_model(task, 2), task)
            made[name] = directory
        return made[name]

    return of


def run(place, directory, name="classification", student="student", **keywords):
    columns = TASKS[name][1] or {}
    return mb.distill_task(**{
        "student": student if student in mb.presets.names() else str(place / student),
        "directory": directory, "teacher": str(place / "teacher"),
        "task": name, "data": place, **columns, "say": lambda line: None,
        "settings": mb.TrainingSettings(**SETTINGS),
        "plan": TaskPlan(epochs=2, batch_size=8, learning_rate=1e-3, label_weight=0.5,
                         temperature=2.0), **keywords})


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


def killed(place, directory, at, patch, **keywords):
    """Run until the method `at` of an object is called for the n-th time."""
    owner, name, count = at
    real, calls = getattr(owner, name), itertools.count(1)

    def call(*arguments, **named):
        if next(calls) == count:
            raise Killed
        return real(*arguments, **named)

    with patch.context() as changed:
        changed.setattr(owner, name, call)
        with pytest.raises(Killed):
            run(place, directory, **keywords)


STAGES = (make_stage({"feature_map": 1.0, "soft_label": 1.0}, ((0, 0), (1, 1)), name="first",
                     steps=4, dropout=True),
          make_stage({"soft_label": 1.0, "label": 0.5}, name="second", steps=None, epochs=2,
                     ema_momentum=0.9, dropout=True, warmup_fraction=0.2))


@pytest.mark.slow
@pytest.mark.parametrize("at", [
    (Reporting, "stepped", 3), (Reporting, "stepped", 11), (Reporting, "scored", 2),
    (model_directory, "save", 1)])
def test_a_killed_run_ends_with_the_same_bytes(at, place, said_by_files, tmp_path, monkeypatch):
    keywords = {"stages": STAGES, "settings": mb.TrainingSettings(**SETTINGS, deterministic=True),
                "cache": tmp_path / "cache"}
    run(place("classification"), tmp_path / "whole", **keywords)
    killed(place("classification"), tmp_path / "killed", at, monkeypatch, **keywords)
    run(place("classification"), tmp_path / "killed", **keywords)
    assert said_by_files(tmp_path / "killed") == said_by_files(tmp_path / "whole")


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


def test_a_student_of_a_preset_starts_from_its_teachers_embedding(place, tmp_path):
    said = []
    result = mb.distill_task(
        "micro_bert", tmp_path / "run", teacher=str(place("classification") / "teacher"),
        task="classification", data=place("classification"), text="said", label="mood",
        plan=TaskPlan(epochs=1, batch_size=8), say=said.append)
    assert any(line.startswith("copied from the teacher: bert/embeddings") for line in said)
    assert result.model == tmp_path / "run"


@pytest.mark.parametrize("recipe", ["pd", "bert_pkd_last"])
def test_recipes_of_a_task(place, tmp_path, recipe):
    run(place("classification"), tmp_path / "run",
        plan=mb.RecipePlan(name=recipe, source="task", steps=(2,), batch_size=8))
    (stage,) = stage_files.load(tmp_path / "run" / "stages.json")
    (template,) = recipes.get(recipe).templates_for("task")
    assert (stage.steps, stage.batch_size) == (2, 8)
    assert (stage.losses, stage.learning_rate) == (template.losses, template.learning_rate)
    assert stage.blocks == (((0, 0),) if template.layer_map else ())


def test_a_recipe_may_start_a_preset_from_blocks_of_the_teacher(
        place, make_task, make_model, save_model, tmp_path):
    task, said = make_task("classification", tmp_path / "data"), []
    save_model(tmp_path / "teacher", make_model(task, 1, num_blocks=4), task)
    run(place("classification"), tmp_path / "run", student="micro_bert", say=said.append,
        teacher=str(tmp_path / "teacher"), plan=mb.RecipePlan(
            name="bert_pkd_last", source="task", steps=(1,), batch_size=8))
    assert "blocks copied from the teacher's: 0, 1, 2" in said
    with pytest.raises(InputError, match=r"is of another run: it differs in task\.taken_over\."):
        run(place("classification"), tmp_path / "run", student="micro_bert",
            teacher=str(tmp_path / "teacher"), start_blocks=(1, 2, 3), plan=mb.RecipePlan(
                name="bert_pkd_last", source="task", steps=(1,), batch_size=8))


def test_a_recipe_for_augmented_rows_says_that_there_are_none(place, tmp_path):
    said = []
    with pytest.raises(InputError, match="names 3 blocks of the teacher, and 2 of the stud"):
        run(place("classification"), tmp_path / "run", say=said.append, blocks=(0, 1, 1),
            plan=mb.RecipePlan(name="tinybert", source="task", steps=(1, 1)))
    assert any("published with augmented examples, and there are none" in line for line in said)


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
    refused("has no metric 'f2'", metric="f2")
    refused("student has 40 positions; give a length of at most 40", length=41)
    refused("batch size of 64, and the train split of the task classification has 40",
            plan=TaskPlan(batch_size=64, epochs=2))
    refused("needs a student with a masked-LM head",
            stages=(make_stage({"masked_lm": 1.0, "label": 1.0}),))
    refused("soft labels and labels compare no blocks: leave out blocks", blocks=(0,))
    refused("leave out blocks: stages name", blocks=(0,), stages=(make_stage({"label": 1.0}),))
    refused("compares block 2 of the teacher, which has 2",
            stages=(make_stage({"feature_map": 1.0}, ((0, 2),)),))
    with pytest.raises(InputError, match="holds a model that is not of an unfinished run"):
        run(there, there / "teacher")
