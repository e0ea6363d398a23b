"""TaskExamples: all that a run on a task reads, from the names that a user gives."""

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.data.datasets import plain_texts
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import sha256
from mobilebert_tf.tasks.task import Task, left_out_of
from mobilebert_tf.tasks.task_data import TaskData
from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.training.task.task_rows import TaskRows


@dataclasses.dataclass(frozen=True)
class TaskExamples:
    """The examples that a student learns from, and those that it is scored on.

    Args:
      task: with its labels.
      train: labelled examples.
      unlabelled: examples of texts without labels; None if there are none.
      dev: the examples of the dev file.
      files: those that were read, `unlabelled_files` among them.
      unlabelled_files: those of texts without labels.
      left_out: the rows of the files that are no examples.
    """

    task: Task
    train: Sequence
    unlabelled: Sequence | None
    dev: Sequence
    files: tuple[Path, ...]
    unlabelled_files: tuple[Path, ...]
    left_out: tuple[LeftOut, ...]

    @classmethod
    def read(cls, data: TaskData, unlabelled: Sequence[str | os.PathLike] = (),
             by_sentence: bool = False) -> "TaskExamples":
        """Read the files of a task, and texts without labels.

        Args:
          data: the task with its files.
          unlabelled, by_sentence: see `distill_task`.
        Raises:
          InputError: with file and line, for anything wrong in the files.
        """
        task, train, dev = data.for_training
        return cls(task, train, _unlabelled(task, train, unlabelled, by_sentence), dev,
                   (*data.train_files, data.dev_file, *map(Path, unlabelled)),
                   tuple(map(Path, unlabelled)),
                   (*left_out_of(train), *left_out_of(dev)))

    def rows(self, tokenizer: Tokenizer, length: int) -> TaskRows:
        """Return the rows of at most `length` tokens that are learned from.

        Raises:
          InputError: if no labelled text has a token.
        """
        kind = self.task.kind
        labelled, more = (examples and kind.rows(examples, tokenizer, length)
                          for examples in (self.train, self.unlabelled))
        if not len(labelled.ids):
            raise InputError("there is nothing to learn: no text of the training files has a token")
        return TaskRows.of(kind, labelled, more)

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each file by its path: a changed file is another run."""
        return {str(path): sha256(path) for path in self.files if path.is_file()}


def _unlabelled(task, train, paths, by_sentence):
    named = task.columns or dict(zip(("text", "second_text"), task.kind.text_columns, strict=True))
    is_pair = task.kind.are_pairs(train)
    columns = (named["text"], *((named["second_text"],) if is_pair else ()))
    texts = [row for path in paths for row in plain_texts.read(path, columns, by_sentence)]
    if not texts:
        return None
    first, *second = zip(*texts, strict=True)
    return task.kind.examples(first, second[0] if is_pair else [None] * len(first))
