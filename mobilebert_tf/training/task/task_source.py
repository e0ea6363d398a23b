"""TaskSource: the rows of a task as the source of a run."""



from mobilebert_tf.training.stage import Stage
from mobilebert_tf.training.task.task_batches import TaskBatches
from mobilebert_tf.training.task.task_rows import TaskRows
from mobilebert_tf.training.task.teacher_outputs import TeacherOutputs


class TaskSource:
    """A `Source` of rows of a task, with labels, and outputs of a teacher if there are some.

    Args:
      name: of the task, for messages.
      rows: the rows.
      length: the most tokens of a row.
      pad_id: the vocabulary's id of [PAD].
      description: JSON values that identify the rows and the teacher.
      teacher: outputs of the teacher for the rows; None if there are none.
      static_shapes: pad all batches to `length`.
    """

    def __init__(self, name: str, rows: TaskRows, length: int, pad_id: int, description: dict,
                 teacher: TeacherOutputs | None = None, static_shapes: bool = False):
        self.name = f"the task {name}"
        self.description = {"task": description, "length": length}
        if static_shapes:
            self.description["static_shapes"] = True
        self._rows, self._length, self._pad_id = rows, length, pad_id
        self._teacher, self._static_shapes = teacher, static_shapes

    def count(self, split: str) -> int:
        """Return the number of rows; dev scores take the place of a validation split."""
        return len(self._rows) if split == "train" else 0

    def teacher_output_names(self, stage: Stage) -> tuple[str, ...]:
        return () if self._teacher is None else self._teacher.names_for(stage)

    def batches(self, split: str, stage: Stage, batch_size: int, seed: int) -> "TaskBatches":
        if split != "train":
            raise ValueError(f"a task has no split {split!r} of batches")
        return TaskBatches(self._rows, self._length, self._pad_id, batch_size, seed,
                           self._teacher if self.teacher_output_names(stage) else None,
                           self._static_shapes)
