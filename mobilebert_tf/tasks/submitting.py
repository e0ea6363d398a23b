"""Answers for GLUE's test sets, whose labels nobody has."""

import os
from pathlib import Path

from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import submission
from mobilebert_tf.running import run as running
from mobilebert_tf.tasks.task import Task


def submit(task: Task, runner, examples: LabelledTexts, directory: str | os.PathLike,
           track: running.Track = running.untracked) -> Path:
    """Runs a test set and writes the file that the benchmark's site takes; returns it.

    Args:
      task: one of GLUE's.
      runner: a Keras model or a file, as `running.run` takes it.
      examples: of `catalogue.read_test`.
      directory: see `submission.write`.
      track: see `running.run`.
    Raises:
      InputError: where the model gives numbers that are not finite; and as `submission.write`.
    """
    kind = task.kind
    features = kind.rows(examples, runner.tokenizer, runner.length)
    found = running.run(kind, runner, examples, features, track, "Test set")
    if not found.finite.all():
        raise InputError("the model gives numbers that are not finite for the test set: there is "
                         "nothing to submit")
    return submission.write(directory, task.name, kind.predicted(found.answers, examples))
