"""Whether a model is of a task, told by its classes."""

import os

from mobilebert_tf.data import glue
from mobilebert_tf.errors import InputError


def check(labels: tuple[str, ...] | None, task_name: str, source: str | os.PathLike) -> None:
    """InputError unless a model's labels are the task's, in its order; case does not matter.

    Args:
      labels: names of the model's classes in order, or None where it names none.
      task_name: of `data.glue.TASKS`.
      source: where the model comes from, for the message.
    """
    expected = glue.task(task_name).labels
    if labels is None or [name.lower() for name in labels] != [name.lower() for name in expected]:
        named = "no labels" if labels is None else f"the labels {', '.join(labels)}"
        raise InputError(f"{source} is of another task than {task_name}: it has {named}, the "
                         f"task has {', '.join(expected)}")
