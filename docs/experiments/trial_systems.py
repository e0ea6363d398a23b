"""The systems of trial.py: a student, how it is distilled on plain text, and how on a task."""

import dataclasses
import json

# Seconds of CPU of every system: on plain text, and on each task.
GENERAL_SECONDS = 100
# In 15 seconds mobilebert_mini would read 450 questions, too few to learn anything.
TASKS = {"sst2": 15, "cola": 15, "mrpc": 15, "restaurant": 15, "squad": 100}
# Learning rates on tasks; trial.py chooses one.
RATES = (1e-4, 4e-4)
BATCH_SIZE = 32


@dataclasses.dataclass(frozen=True)
class Student:
    """The config of a student: a preset with other values."""

    name: str
    preset: str
    values: dict

    def written(self, directory):
        """Write the config as JSON; return the file."""
        from mobilebert_tf import presets

        config = dataclasses.replace(presets.get(self.preset), pooler="mean", **self.values)
        path = directory / f"{self.name}.json"
        path.write_text(json.dumps(config.to_dict()))
        return path


def _bert(width, blocks):
    return Student(f"bert_{blocks}x{width}", "bert_base", {
        "hidden_size": width, "num_blocks": blocks, "num_heads": 12,
        "intermediate_size": 4 * width, "embedding_size": width})


MOBILEBERT = Student("mobilebert_mini", "mobilebert_mini", {})
SAME_LATENCY, SAME_PARAMETERS = _bert(384, 3), _bert(192, 3)


@dataclasses.dataclass(frozen=True)
class System:
    """What is compared.

    Args:
      student: its config.
      general: how it is distilled on plain text, a name in `GENERAL`; None for not at all.
      task: how it is distilled on a task, a name in `TASK`.
      augment: new examples to try for each example; of questions, for the first 200.
    """

    student: Student
    general: str | None
    task: str
    augment: int = 0

    @property
    def general_seconds(self):
        """The seconds of each part of `general`."""
        return tuple(GENERAL_SECONDS * share for share in GENERAL[self.general][1])

    def task_seconds(self, task):
        """The seconds of each part of `task`. A system that reads no plain text has more of them.
        """
        more = GENERAL_SECONDS / len(TASKS) if self.general is None else 0
        return tuple((TASKS[task] + more) * share for share in TASK[self.task][1])


def teacher_student(teachers):
    """Return the shape of the teachers in a directory as a student, whose latency is measured."""
    return _bert(384, blocks_of(teachers / "general" / "model"))


def blocks_of(checkpoint):
    """Return how many blocks the model in a directory has."""
    from mobilebert_tf import model_directory

    return model_directory.load(checkpoint).model.config.num_blocks


def _recipe(name, rate):
    def plan(steps, _):
        import mobilebert_tf as mb

        return {"plan": mb.RecipePlan(name=name, batch_size=BATCH_SIZE, learning_rate=rate,
                                      steps=steps)}
    return plan


def _mobilebert(strategy):
    def plan(steps, teacher_blocks):
        import mobilebert_tf as mb

        # Losses and rates are those of strategies.py. Progressive transfer has a stage for each of
        # six blocks, of as many updates each.
        times = 6 if strategy == "progressive" else 1
        every = teacher_blocks // 6
        blocks = tuple(range(every - 1, teacher_blocks, every))
        return {"blocks": blocks, "plan": mb.DistillationPlan(
            strategy=strategy, transfer_steps=times * steps[0], distillation_steps=steps[1],
            batch_size=BATCH_SIZE, transfer_losses={"feature_map": 1.0, "attention": 0.05},
            distillation_losses={"sentence_embedding": 2.0, "masked_lm": 0.02},
            transfer_rate=1e-3, distillation_rate=1e-3, warmup_fraction=0.05, earlier_rate=0.3,
            embedding_rate=1.0, transfer_end_rate=0.5,
            options={"optimizer": "adamw", "teacher_reads_masks": False, "masking_rate": 0.06})}
    return plan


def _cut(steps, teacher_blocks):
    """Blocks of the teacher, trained to give its sentence embeddings (sentence-transformers)."""
    from mobilebert_tf.training.stage import Stage

    rates = {"embedding": 1.0, **{f"block_{block}": 1.0 for block in range(4)}}
    return {**_recipe("distilbert", None)((1,), teacher_blocks), "stages": (Stage(
        name="embeddings", steps=steps[0], losses={"sentence_embedding": 1.0}, rates=rates,
        learning_rate=3e-4, batch_size=BATCH_SIZE, warmup_steps=steps[0] // 20, optimizer="adamw",
        masking_rate=0.0),)}


def _labels(steps, rate):
    import mobilebert_tf as mb

    return {"plan": mb.TaskPlan(batch_size=BATCH_SIZE, learning_rate=rate, options={
        "losses": {"label": 1.0}, "epochs": None, "steps": steps[0]})}


def _task_recipe(name):
    def plan(steps, rate):
        import mobilebert_tf as mb

        return {"plan": mb.RecipePlan(name=name, source="task", batch_size=BATCH_SIZE,
                                      learning_rate=rate, steps=steps)}
    return plan


# Name -> (arguments of `distill` for updates of each part and the blocks of a teacher, shares of
# the seconds; of a part with several stages, the share of each).
GENERAL = {
    "masked_words": (_recipe("pd", 1e-3), (1,)),
    "distilbert": (_recipe("distilbert", 3e-4), (1,)),
    "tinybert": (_recipe("tinybert", 1e-3), (1,)),
    "minilmv2": (_recipe("minilmv2", 1e-3), (1,)),
    "joint": (_mobilebert("joint"), (2 / 3, 1 / 3)),
    "progressive": (_mobilebert("progressive"), (2 / 3 / 6, 1 / 3)),
    "cut": (_cut, (1,)),
}
# Name -> (arguments of `distill_task` for updates and a learning rate, shares of the seconds).
TASK = {
    "labels": (_labels, (1,)),
    "soft_labels": (_task_recipe("pd"), (1,)),
    "bert_pkd": (_task_recipe("bert_pkd"), (1,)),
    "tinybert": (_task_recipe("tinybert"), (1 / 2, 1 / 2)),
}

SYSTEMS = {
    "from scratch": System(SAME_LATENCY, "masked_words", "labels"),
    "PD": System(SAME_LATENCY, "masked_words", "soft_labels"),
    "BERT-PKD": System(SAME_LATENCY, None, "bert_pkd"),
    "DistilBERT": System(SAME_LATENCY, "distilbert", "labels"),
    "TinyBERT": System(SAME_LATENCY, "tinybert", "tinybert"),
    "TinyBERT augmented": System(SAME_LATENCY, "tinybert", "tinybert", augment=1),
    "MiniLMv2": System(SAME_LATENCY, "minilmv2", "labels"),
    "MobileBERT joint": System(MOBILEBERT, "joint", "labels"),
    "MobileBERT progressive": System(MOBILEBERT, "progressive", "labels"),
    "MobileBERT joint and soft labels": System(MOBILEBERT, "joint", "soft_labels"),
    "4 blocks of the teacher": System(_bert(384, 4), "cut", "labels"),
    "PD (parameters)": System(SAME_PARAMETERS, "masked_words", "soft_labels"),
    "TinyBERT (parameters)": System(SAME_PARAMETERS, "tinybert", "tinybert"),
    "MiniLMv2 (parameters)": System(SAME_PARAMETERS, "minilmv2", "labels"),
}


def general_run(system, steps, teacher_blocks):
    """Return the arguments of `distill` for a number of updates of each part."""
    return GENERAL[system.general][0](steps, teacher_blocks)


def task_run(system, steps, rate):
    """Return the arguments of `distill_task`."""
    return TASK[system.task][0](steps, rate)
