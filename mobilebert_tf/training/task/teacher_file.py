"""TeacherFile: a file of a teacher's outputs that is to be written."""

import dataclasses
from pathlib import Path

from mobilebert_tf.training.task.task_rows import TaskRows


@dataclasses.dataclass(frozen=True)
class TeacherFile:
    """A file of a cache, and the rows whose outputs it holds.

    Args:
      path: of the file.
      rows: in the file's order; their targets are not needed.
    """

    path: Path
    rows: TaskRows
