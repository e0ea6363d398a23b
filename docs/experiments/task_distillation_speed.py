"""The speed of distilling on a task: an epoch against plain fine-tuning, filling against forward.

    python docs/experiments/task_distillation_speed.py --data glue/SST-2 --teacher runs/teacher \\
        --student models/mobilebert_mini --output speed.json

All take turns in one process; the ratios are of medians. Graphs are built before, in a round that
does not count.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

from mobilebert_tf.data.features.batches import PaddedBatches, width_for
from mobilebert_tf.optimization.build import adamw
from mobilebert_tf.optimization.schedule import WarmupLinearDecay
from mobilebert_tf.resuming.random_state import make_dropout_restorable
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.training.components import components
from mobilebert_tf.training.partial_model import partial_model
from mobilebert_tf.training.step import TrainingStep
from mobilebert_tf.training.task import task_models
from mobilebert_tf.training.task.task_batches import TaskBatches
from mobilebert_tf.training.task.task_plan import TaskPlan
from mobilebert_tf.training.task.task_rows import TaskRows
from mobilebert_tf.training.task.teacher_cache import TeacherCache

FORWARD_ROWS = 64
LOG_EVERY = 20


def fine_tuning(contents, features, batch_size):
    """Return a function that trains an epoch as `mobilebert finetune` does."""
    batches = PaddedBatches(features, contents.length, batch_size, contents.vocabulary.pad_id)
    model = contents.model
    model.compile(adamw(model.trainable_variables, WarmupLinearDecay(5e-5, 10**6, 1)),
                  **contents.kind.losses())
    epochs = iter(range(10**6))
    return lambda: model.fit(batches.dataset(1, next(epochs)), verbose=0)


def distillation(contents, teacher, rows, outputs, batch_size):
    """Return a function that trains an epoch as the loop does, with the kept outputs."""
    (stage,) = TaskPlan(batch_size=batch_size).stages(tuple(components(contents.model)))
    stage = stage.in_steps(len(rows) // batch_size)
    batches = TaskBatches(rows, contents.length, contents.vocabulary.pad_id, batch_size, 1, outputs)
    dataset = batches.dataset()
    update = TrainingStep(stage, contents.model, teacher, given=outputs.names_for(stage)).function(
        dataset.element_spec)
    iterator = iter(dataset)

    def epoch():
        scalars = []
        for step in range(batches.steps_per_epoch):
            scalars.append(update(next(iterator)))
            if (step + 1) % LOG_EVERY == 0:
                _ = [float(one["loss"]) for one in scalars]
                scalars = []

    return epoch


def forward(teacher, rows, length, pad_id):
    """Return a function that runs the teacher on all rows, from inputs in memory."""
    model = partial_model(teacher, ("head",))
    widths = np.array([width_for(tokens, length) for tokens in rows.ids.lengths])
    batches = []
    for width in np.unique(widths):
        numbers = np.flatnonzero(widths == width)
        for start in range(0, len(numbers), FORWARD_ROWS):
            batches.append({name: tf.constant(values) for name, values in rows.inputs(
                numbers[start : start + FORWARD_ROWS], int(width), pad_id).items()})
    functions = {int(width): tf.function(
        lambda inputs: model(inputs, training=False), autograph=False,
        input_signature=[{name: tf.TensorSpec((None, width), tf.int32) for name in batches[0]}])
        for width in np.unique(widths)}

    def run():
        for inputs in batches:
            functions[inputs["input_mask"].shape[1]](inputs)

    return run


def measured(subjects, rounds):
    """Return the seconds of each subject in each round, after one that does not count."""
    seconds = {name: [] for name in subjects}
    for turn in range(rounds + 1):
        for name, run in subjects.items():
            start = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - start)
        print(f"round {turn} of {rounds}", flush=True)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "teacher", "student", "output"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rows", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=32)
    given = parser.parse_args()
    make_dropout_restorable()
    task, train, _ = catalogue.data(catalogue.of("sst2"), Path(given.data)).for_training
    train = train.select(np.random.default_rng(1).permutation(len(train))[: given.rows])
    teacher = task_models.load_teacher(given.teacher, task)
    students = [task_models.load_student(given.student, task, teacher, None) for _ in range(2)]
    length, vocabulary = students[0].length, teacher.vocabulary
    features = task.kind.rows(train, Tokenizer(vocabulary, teacher.lower_case), length)
    rows = TaskRows.of(task.kind, features)
    with tempfile.TemporaryDirectory() as directory:
        cache = TeacherCache(Path(directory) / "cache", teacher.model, rows, length,
                             vocabulary.pad_id)

        def fill():
            shutil.rmtree(Path(directory) / "cache", ignore_errors=True)
            return cache.filled()

        seconds = measured({
            "fine_tuning": fine_tuning(students[0], features, given.batch_size),
            "distillation": distillation(students[1], teacher.model, rows, fill(),
                                         given.batch_size),
            "filling": fill,
            "forward": forward(teacher.model, rows, length, vocabulary.pad_id)}, given.rounds)
    median = {name: statistics.median(values) for name, values in seconds.items()}
    found = {"rows": len(rows), "length": length, "batch_size": given.batch_size,
             "teacher": teacher.model.count_params(), "student": students[0].model.count_params(),
             "seconds": seconds, "median": median,
             "distillation_by_fine_tuning": median["distillation"] / median["fine_tuning"],
             "filling_rate_by_forward_rate": median["forward"] / median["filling"]}
    Path(given.output).write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
