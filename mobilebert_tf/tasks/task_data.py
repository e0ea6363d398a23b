"""TaskData: a task with its files."""

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks.task import Task


@dataclasses.dataclass(frozen=True)
class TaskData:
    """The files that a model is trained, calibrated and scored on.

    Args:
      task: the files have its format.
      train_files: the training files, together one set; empty if nobody named any.
      dev_file: the dev file.
      test_file: a file with labels by which nothing was chosen; None if there is none.
      no_train_files: why there are no training files; None if nobody named any.
    """

    task: Task
    train_files: tuple[Path, ...]
    dev_file: Path
    test_file: Path | None = None
    no_train_files: str | None = None

    def require_train_files(self) -> tuple[Path, ...]:
        """Return the training files; raise InputError if there are none."""
        if not self.train_files:
            raise InputError(self.no_train_files or (
                f"no training data for the task {self.task.name}: name its directory, or training "
                "files"))
        return self.train_files

    @functools.cached_property
    def for_training(self) -> tuple[Task, Sequence, Sequence]:
        """The task with its labels, its training examples and its dev examples; read once.

        Raises:
          InputError: if nothing is fine-tuned for the task, or there are no training files; with
            file and line, for anything wrong in the files.
        """
        if not self.task.kind.is_fine_tuned:
            raise InputError(f"the task {self.task.name} is only evaluated: nothing is fine-tuned "
                             "for it")
        files = self.require_train_files()
        task = self.task.found_in(files)
        return task, task.read_train(files), task.read(self.dev_file)
