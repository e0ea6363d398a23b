"""The student and the teacher of a task, from the names that a user gives."""

import dataclasses
from pathlib import Path

import numpy as np

from mobilebert_tf import model_directory, presets
from mobilebert_tf.errors import InputError
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.models.encoder import Encoder
from mobilebert_tf.models.repooling import with_pooler
from mobilebert_tf.running.keras_runner import require_vocabulary
from mobilebert_tf.tasks.task import Task
from mobilebert_tf.terminal.waiting import waiting
from mobilebert_tf.training.loading import check_teacher, check_teacher_pooler
from mobilebert_tf.training.task.task_rows import TaskRows

# How many rows are read to start a student's embedding, and how many at once.
_START_ROWS, _START_BATCH = 1024, 128


def load_teacher(name: str, task: Task, pooler: str | None = None) -> ModelDirectory:
    """Return a model that was fine-tuned on a task.

    Args:
      name: a model or Hugging Face directory.
      task: with its labels.
      pooler: replaces the model's own; see `EncoderConfig.pooler`.
    Raises:
      InputError: for a preset, a directory without a model or a vocabulary, and a model of another
        kind or with other labels; for a pooler of random weights, or one that the head cannot read.
    """
    check_teacher(name)
    with waiting(f"Building {name}"):
        contents = model_directory.load(name)
    require_vocabulary(contents, name)
    try:
        task.check(contents.kind, name)
    except InputError as error:
        raise InputError(f"{error} (the teacher is fine-tuned on the task first)") from error
    check_teacher_pooler(name, contents.model.config, pooler)
    model, keeps_head = _repooled(contents.model, task.kind, pooler)
    if not keeps_head:
        raise InputError(f"the head of {name} cannot read the pooler {pooler}, and a new one "
                         "has random weights, which cannot teach; leave out teacher_pooler")
    return dataclasses.replace(contents, model=model)


def load_student(name: str, task: Task, teacher: ModelDirectory, length: int | None,
                 pooler: str | None = None) -> ModelDirectory:
    """Return a model for a task that reads a teacher's vocabulary.

    Args:
      name: a preset or a JSON file with an `EncoderConfig`, for random weights; or a model or
        Hugging Face directory: the whole model if it is one for the task and its head can read
        the pooler, else its encoder with a new head.
      task: with its labels.
      teacher: of `load_teacher`.
      length: the most tokens of a row; None for the teacher's, or the default of the kind.
      pooler: replaces the model's own.
    Raises:
      InputError: for an unknown preset or directory, and a vocabulary that is not the teacher's; if
        student or teacher have fewer positions than the length.
    """
    with waiting(f"Building {name}"):
        model = (_of_preset(name, task, teacher, pooler) if presets.is_config(name)
                 else _of_directory(name, task, teacher, pooler))
    positions, shorter = min((model.config.max_positions, str(name)),
                             (teacher.model.config.max_positions, "the teacher"))
    if length is not None and length > positions:
        raise InputError(f"{shorter} has {positions} positions; give a length of at most "
                         f"{positions}")
    return ModelDirectory(model, teacher.vocabulary, task.kind, teacher.lower_case, task.name,
                          task.columns,
                          length or min(teacher.length or task.kind.length, positions))


def _of_preset(name, task, teacher, pooler):
    config = dataclasses.replace(presets.get(name), vocab_size=len(teacher.vocabulary))
    return task.kind.build(with_pooler(Encoder(config), pooler))


def _of_directory(name, task, teacher, pooler):
    if not Path(name).is_dir():
        presets.get(name)  # Raises an error that suggests names.
    contents = model_directory.load(name)
    if contents.vocabulary is not None:
        if contents.vocabulary.pieces != teacher.vocabulary.pieces:
            raise InputError(f"{name} has another vocabulary than the teacher; student and teacher "
                             "must read the same tokens")
        if contents.lower_case != teacher.lower_case:
            raise InputError(f"{name} is {_case(contents)} and the teacher {_case(teacher)}; "
                             "student and teacher must read the same tokens")
    model_directory.check_vocabulary(teacher.vocabulary, contents.model.config, name)
    try:
        task.check(contents.kind, name)
    except InputError:
        return task.kind.build(with_pooler(contents.model.encoder, pooler))
    model, _ = _repooled(contents.model, task.kind, pooler)
    return model


def _case(contents):
    return "uncased" if contents.lower_case else "cased"


def _repooled(model, kind, pooler):
    """Return a model with this pooler, and whether its head is the given one's.

    A head that reads another number of features is new.
    """
    encoder = with_pooler(model.encoder, pooler)
    if encoder is model.encoder:
        return model, True
    changed, weights = kind.build(encoder), model.head.get_weights()
    fits = [one.shape for one in weights] == [one.shape for one in changed.head.weights]
    if fits:
        changed.head.set_weights(weights)
    return changed, fits


def texts_to_start_from(student: ModelDirectory, rows: TaskRows) -> list[dict]:
    """Return the batches that averages of a student's embedding are taken over."""
    pad_id = student.vocabulary.pad_id
    order = np.random.default_rng(0).permutation(len(rows))[:_START_ROWS]
    inputs = [rows.inputs(order[first : first + _START_BATCH], student.length, pad_id)
              for first in range(0, len(order), _START_BATCH)]
    return [{**one, "original_word_ids": one["input_word_ids"]} for one in inputs]
