"""Distillation of a small student on a task, and stages of it."""

import mobilebert_tf as mb
from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.task.task_plan import TaskPlan

from .conftest import TASKS

SETTINGS = {"log_every": 2, "checkpoint_every": 2}


def make_stage(losses, blocks=(), **fields):
    rates = dict.fromkeys(("embedding", "block_0", "block_1", "head"), 1.0)
    return Stage(**{"name": "one", "steps": 5, "losses": losses, "rates": rates, "blocks": blocks,
                    "learning_rate": 1e-3, "batch_size": 8, "optimizer": "adamw", **fields})


def run(place, directory, name="classification", student="student", **keywords):
    columns = TASKS[name][1] or {}
    return mb.distill_task(**{
        "student": student if student in mb.presets.names() else str(place / student),
        "directory": directory, "teacher": str(place / "teacher"),
        "task": name, "data": place, **columns, "say": lambda line: None,
        "settings": mb.TrainingSettings(**SETTINGS),
        "plan": TaskPlan(epochs=2, batch_size=8, learning_rate=1e-3, label_weight=0.5,
                         temperature=2.0), **keywords})


STAGES = (make_stage({"feature_map": 1.0, "soft_label": 1.0}, ((0, 0), (1, 1)), name="first",
                     steps=4, dropout=True),
          make_stage({"soft_label": 1.0, "label": 0.5}, name="second", steps=None, epochs=2,
                     ema_momentum=0.9, dropout=True, warmup_fraction=0.2))
