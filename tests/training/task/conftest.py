"""Tiny tasks, teachers of random weights and small students, with one vocabulary."""

import dataclasses

import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.resuming.random_state import make_dropout_restorable
from mobilebert_tf.tasks import catalogue
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary
from mobilebert_tf.training.fingerprint import fingerprint
from mobilebert_tf.training.task.task_rows import TaskRows
from mobilebert_tf.training.task.teacher_job import TeacherJob

from ...tiny_tasks import WORDS, classification, multi_label, squad, stsb, tagging

LENGTH = 40
# name -> (writer of a file, columns).
TASKS = {"classification": (classification, {"text": "said", "label": "mood"}),
         "multi_label": (multi_label, {"text": "said", "label": "moods"}),
         "stsb": (stsb, None), "tagging": (tagging, None), "squad": (squad, None)}


@pytest.fixture(scope="session")
def vocabulary():
    return Vocabulary([*SPECIAL_PIECES, *WORDS, "film", "the", "##s"])


@pytest.fixture(scope="session")
def make_task():
    """name, directory, rows -> the task with its labels; its files are in the directory."""

    def make(name, directory, count=40, longest=30):
        write, columns = TASKS[name]
        random = np.random.default_rng(2)
        texts = [random.choice(WORDS, random.integers(3, longest)).tolist() for _ in range(count)]
        task = catalogue.of(name, columns)
        ending = ".csv" if columns else ""
        directory.mkdir(parents=True, exist_ok=True)
        for file in (*task.train_files, task.dev_file):
            (directory / f"{file}{ending}").write_text(write(texts))
        return catalogue.data(task, directory).for_training[0]

    return make


@pytest.fixture(scope="session")
def make_model(vocabulary, randomize):
    """task, seed -> a model of the task with dropout, of two small blocks."""

    def make(task, seed, **changes):
        make_dropout_restorable()
        config = dataclasses.replace(mb.presets.get("micro_bert"), **{
            "num_blocks": 2, "vocab_size": len(vocabulary), "max_positions": LENGTH, **changes})
        model = randomize(task.kind.build(mb.Encoder(config)), seed)
        model.head.set_weights([20 * weights for weights in model.head.get_weights()])
        return model

    return make


@pytest.fixture(scope="session")
def save_model(vocabulary):
    """directory, model, task -> the directory, with the model."""

    def save(directory, model, task):
        model_directory.save(directory, ModelDirectory(
            model, vocabulary, task.kind, task=task.name, columns=task.columns, length=LENGTH))
        return str(directory)

    return save


@pytest.fixture(scope="session")
def make_rows(vocabulary):
    """task, directory, unlabelled texts -> its rows."""

    def make(task, directory, unlabelled=()):
        tokenizer = Tokenizer(vocabulary, True)
        examples = catalogue.data(catalogue.of(task.name, task.columns), directory).for_training[1]
        more = (task.kind.rows(task.kind.examples(unlabelled, [None] * len(unlabelled)), tokenizer,
                               LENGTH) if unlabelled else None)
        return TaskRows.of(task.kind, task.kind.rows(examples, tokenizer, LENGTH), more)

    return make


@pytest.fixture(scope="session")
def make_taught(make_task, make_rows, make_model, save_model):
    """directory, rows -> the rows of a task, its teacher, and the job that loads it from there."""

    def make(directory, count):
        task = make_task("classification", directory, count)
        teacher = make_model(task, 1)
        return make_rows(task, directory), teacher, TeacherJob(
            teacher=save_model(directory / "teacher", teacher, task), task=task, pooler=None,
            precision="float32", weights=fingerprint(teacher), length=LENGTH, pad_id=0,
            blocks=(1,), workers=1)

    return make


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
