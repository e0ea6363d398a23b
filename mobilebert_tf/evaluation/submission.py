"""Predictions for GLUE's test sets, in the files that the benchmark's site accepts."""

import math
import os
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.data.datasets import glue
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically

_LOWEST, _HIGHEST = 0.0, 5.0  # of STS-B


def write(directory: str | os.PathLike, task_name: str, predictions: Sequence) -> Path:
    """Write a task's predictions to its file, such as CoLA.tsv or MNLI-mm.tsv; return the path.

    The header is index, tab, prediction; indices count from 0. A class is written as in the
    task's files; a score is clipped to 0 to 5 and written with 3 decimals.

    Source: names and layout as in jiant (nyu-mll), by the benchmark's makers; decimals as in
    transformers' run_glue.py.

    Args:
      directory: the directory of the file; created if needed.
      task_name: a name in `glue.TASKS`.
      predictions: a class id, or for STS-B a number, for each example of the test file, in its
        order.
    Raises:
      InputError: if the task is unknown, there are no predictions, one is no class or no number, or
        the file cannot be written.
    """
    task = glue.task(task_name)
    if not len(predictions):
        raise InputError(f"there are no predictions for {task_name}; the benchmark takes one for "
                         f"each example of {task.test_file}")
    written = [_written(task, index, prediction) for index, prediction in enumerate(predictions)]
    lines = ["index\tprediction", *(f"{index}\t{text}" for index, text in enumerate(written))]
    path = Path(directory) / task.submission_file
    write_atomically(path, ("\n".join(lines) + "\n").encode())
    return path


def _written(task, index, prediction):
    if task.values is None:
        if not math.isfinite(prediction):
            raise InputError(f"prediction {index} is {prediction}; {task.submission_file} needs a "
                             "number for each example")
        return f"{min(max(_LOWEST, prediction), _HIGHEST):.3f}"
    # -1 is a missing answer; as an index it would be the last class.
    if prediction not in range(len(task.values)):
        raise InputError(f"prediction {index} is {prediction}; {task.submission_file} needs a "
                         f"class from 0 to {len(task.values) - 1} for each example")
    return task.values[int(prediction)]
