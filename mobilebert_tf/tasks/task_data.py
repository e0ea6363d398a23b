"""TaskData: a task with its files."""

import dataclasses
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks.task import Task


@dataclasses.dataclass(frozen=True)
class TaskData:
    """What a model is trained or calibrated on, and what it is scored on.

    Args:
      task: whose format the files have.
      train_files: the training files, together one set; none where nobody said which.
      dev_file: the dev file.
    """

    task: Task
    train_files: tuple[Path, ...]
    dev_file: Path

    def require_train_files(self) -> tuple[Path, ...]:
        """The training files; InputError where there are none."""
        if not self.train_files:
            raise InputError(f"no training data for the task {self.task.name}: name its directory "
                             "with --data, or files with --train")
        return self.train_files
