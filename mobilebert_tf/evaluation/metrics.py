"""The metric of each task, as its official scorer has it."""

import dataclasses
from collections.abc import Callable

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.classification import accuracy, matthews


@dataclasses.dataclass(frozen=True)
class Metric:
    """A metric's name, and its function of (predicted, labels): 1 is perfect."""

    name: str
    score: Callable


_OF_TASKS = {
    "sst2": Metric("accuracy", accuracy),
    "cola": Metric("matthews", matthews),
}


def of(task_name: str) -> Metric:
    """The metric of a task; InputError where it has none, since another's would mean nothing."""
    if task_name not in _OF_TASKS:
        raise InputError(f"the task {task_name!r} has no metric; known are {', '.join(_OF_TASKS)}")
    return _OF_TASKS[task_name]
