"""TaskData: a task with its files."""

import dataclasses
import functools
from collections.abc import Sequence
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
      test_file: a file with labels that nothing was chosen by; None where there is none.
    """

    task: Task
    train_files: tuple[Path, ...]
    dev_file: Path
    test_file: Path | None = None

    def require_train_files(self) -> tuple[Path, ...]:
        """The training files; InputError where there are none."""
        if not self.train_files:
            raise InputError(f"no training data for the task {self.task.name}: name its directory "
                             "with --data, or files with --train")
        return self.train_files

    @functools.cached_property
    def for_training(self) -> tuple[Task, Sequence, Sequence]:
        """The task with its labels, its training examples and its dev examples; read once.

        Raises:
          InputError: where nothing is trained for the task or there are no training files; and
            with file and line, for anything wrong in the files.
        """
        if not self.task.is_trained:
            raise InputError(f"the task {self.task.name} is only evaluated: nothing is fine-tuned "
                             "for it")
        files = self.require_train_files()
        task = self.task.found_in(files)
        return task, task.read_train(files), task.read(self.dev_file)
