"""TaskScoring: the dev scores of a student, and the best one as a model directory."""

import dataclasses
import os
from collections.abc import Sequence

from mobilebert_tf import model_directory
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks.task import Task


class TaskScoring:
    """A `Scoring` by the dev file of a task.

    Args:
      contents: the student.
      task: with its labels.
      dev: the examples of the dev file.
      metric: the score that chooses.
      directory: receives the student.
    """

    def __init__(self, contents: ModelDirectory, task: Task, dev: Sequence, metric: str,
                 directory: str | os.PathLike):
        self.metric = metric
        self._contents, self._task, self._dev = contents, task, dev
        self._directory = directory
        self._runner = KerasRunner(contents, contents.length, "the student")
        self._rows = task.kind.rows(dev, self._runner.tokenizer, contents.length)

    def scores(self) -> dict[str, float] | None:
        found = running.run(self._task.kind, self._runner, self._dev, self._rows)
        return self._task.score(found.answers, self._dev) if found.finite.all() else None

    def keep(self, scores: dict[str, float]) -> None:
        model_directory.save(self._directory, dataclasses.replace(
            self._contents, kind=self._task.kind.decided(scores, self.metric)))
