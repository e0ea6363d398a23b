"""`mobilebert distill --task`: what its options mean to the library, and what it prints."""

import json
from pathlib import Path

import pytest

from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.training.recipes.recipe_plan import RecipePlan
from mobilebert_tf.training.settings import TrainingSettings
from mobilebert_tf.training.task import distill_task
from mobilebert_tf.training.task.task_plan import TaskPlan
from mobilebert_tf.training.task.task_result import TaskResult

COMMAND = ("distill", "--teacher", "teacher", "--student", "student", "--output", "run")


@pytest.fixture
def called(monkeypatch):
    """The arguments of the library's function, which trains nothing."""
    found = {}

    def distil(student, directory, **keywords):
        found.update(student=student, directory=directory, **keywords)
        return TaskResult(Path("run"), "accuracy", {"accuracy": 0.875, "matthews": 0.5},
                          {"stage": "task", "step": 1200}, Path("run/curves.png"), 61.4,
                          (LeftOut("train.csv", 3, "no text"),))

    monkeypatch.setattr(distill_task, "distill_task", distil)
    return found


def test_the_options_are_the_arguments(mobilebert, called, tmp_path):
    run = mobilebert(
        *COMMAND, "--task", "classification", "--train", "a.csv", "--train", "b.csv", "--dev",
        "c.csv", "--text", "body", "--label", "folder", "--unlabelled", "u.txt", "--by-sentence",
        "--augment", 3, "--augmenter", "mlm", "--epochs", 4, "--batch-size", 16, "--learning-rate",
        1e-4, "--label-weight", 0.25, "--temperature", 2, "--ema-momentum", 0.99, "--length", 64,
        "--metric", "macro_f1", "--cache", "kept", "--cache-workers", 3,
        "--beam-flag=--runner=FlinkRunner", "--beam-flag=--flink_master=host:8081",
        "--start-blocks", "0,3", "--seed", 7, "--json", tmp_path / "found.json")
    assert run.status == 0, run.err
    called.pop("say"), called.pop("say_left_out")
    assert called == {
        "student": "student", "directory": Path("run"), "teacher": "teacher",
        "task": "classification", "data": None, "train": [Path("a.csv"), Path("b.csv")],
        "dev": Path("c.csv"), "text": "body", "label": "folder", "second_text": None,
        "unlabelled": [Path("u.txt")], "by_sentence": True, "augment": 3, "augmenter": Path("mlm"),
        "plan": TaskPlan(epochs=4, batch_size=16, learning_rate=1e-4, label_weight=0.25,
                         temperature=2.0, ema_momentum=0.99),
        "stages": None, "blocks": None, "start_blocks": (0, 3), "length": 64,
        "metric": "macro_f1", "cache": Path("kept"), "cache_workers": 3,
        "beam_flags": ["--runner=FlinkRunner", "--flink_master=host:8081"],
        "teacher_pooler": None, "student_pooler": None, "settings": TrainingSettings(seed=7)}
    assert run.out == (
        "best at step 1,200 of task by accuracy: dev accuracy 0.8750, matthews 0.5000\n"
        "model in run; next: mobilebert evaluate or mobilebert export run\n")
    assert json.loads((tmp_path / "found.json").read_text()) == {
        "model": "run", "metric": "accuracy", "scores": {"accuracy": 0.875, "matthews": 0.5},
        "best": {"stage": "task", "step": 1200}, "curves": "run/curves.png", "seconds": 61,
        "scorings": 1,
        "left_out": 1, "left_out_lines": {"train.csv": [3]}}


def test_the_plan_has_its_own_defaults(mobilebert, called):
    assert mobilebert(*COMMAND, "--task", "sst2", "--data", "glue").status == 0
    assert called["plan"] == TaskPlan()
    assert called["settings"] == TrainingSettings()


def test_a_learning_rate_is_the_recipes_too(mobilebert, called):
    run = mobilebert(*COMMAND, "--task", "sst2", "--data", "glue", "--recipe", "pd", "--steps", 5,
                     "--learning-rate", 3e-4)
    assert run.status == 0, run.err
    assert called["plan"] == RecipePlan(name="pd", source="task", steps=(5,), learning_rate=3e-4)


def test_a_strategy_has_several_learning_rates(mobilebert):
    run = mobilebert(*COMMAND, "--corpus", "corpus", "--learning-rate", 1e-3)
    assert run.status == 2
    assert "--learning-rate goes with --task or --recipe" in run.err


@pytest.mark.parametrize(("arguments", "said"), [
    (("--recipe", "pd", "--temperature", 2), "--temperature means nothing beside --recipe"),
    (("--strategy", "joint"), "--strategy is for distillation on a --corpus; leave it out"),
    (("--stages", "stages.json", "--blocks", "1,3"), "--blocks means nothing beside --stages")])
def test_options_without_an_effect_are_refused(mobilebert, called, arguments, said):
    run = mobilebert(*COMMAND, "--task", "sst2", "--data", "glue", *arguments)
    assert run.status == 2
    assert said in " ".join(run.err.split())
    assert not called


@pytest.mark.parametrize("source", [(), ("--task", "sst2", "--corpus", "corpus")])
def test_either_a_corpus_or_a_task(mobilebert, source):
    run = mobilebert(*COMMAND, *source)
    assert run.status == 2
    assert "give either --corpus, for distillation on plain text, or --task" in run.err
