"""Running a task's examples through a model, Keras's or a file's."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.tasks.task import Task

_BATCH_SIZE = 32
# Outputs with values of a row, in place of values of each of its tokens.
_OF_ROWS = ("probabilities", "score", "sentence_embedding")

Track = Callable[[list, str], Iterable]


def untracked(batches: list, description: str) -> Iterable:
    return batches


@dataclasses.dataclass(frozen=True)
class Run:
    """What a model said of a task's examples.

    Args:
      answers: one an example, as the task has them; None where the model gave numbers that are
        not finite.
      scores: by name.
      outputs: by name, a row each of the features.
      finite: which rows have finite numbers only, bool `(rows,)`.
    """

    answers: list[Any]
    scores: dict[str, float]
    outputs: dict[str, np.ndarray]
    finite: np.ndarray


def run(task: Task, runner, examples: Sequence, features: Features,
        track: Track = untracked, description: str = "Running") -> Run:
    """Runs features and scores the answers.

    Args:
      task: whose examples these are.
      runner: a Keras model or a file, as `models.runner` and `export.runner` open them.
      examples, features: of the task; no row longer than the runner takes.
      track: shows the progress: (batches, description) -> the batches one by one.
    """
    found = outputs(runner, features, track, description)
    finite = np.all([np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
                     for values in found.values()], axis=0)
    answers = task.answers(found, examples, features)
    answers = [answer if of_rows.all() else None for answer, of_rows in zip(
        answers, features.by_example(finite), strict=True)]
    return Run(answers, task.score(answers, examples), found, finite)


def widths(runner, features: Features) -> np.ndarray:
    """How many positions each row is run with."""
    return np.array([runner.length_for(len(ids)) for ids in features.ids])


def outputs(runner, features: Features, track: Track = untracked,
            description: str = "Running") -> dict[str, np.ndarray]:
    """A model's outputs for all rows, in batches of one width; zeros where a row has no token."""
    if not len(features.ids):
        # There are none where no question's context has a token. Only a run tells the outputs.
        one = Features([[runner.tokenizer.vocabulary.cls_id]], [1])
        return {name: values[:0] for name, values in outputs(runner, one).items()}
    by_row = widths(runner, features)
    packed = features.packed(int(by_row.max()), runner.tokenizer.vocabulary.pad_id)
    order = np.argsort(by_row, kind="stable")
    batches = [rows for width in np.unique(by_row)
               for rows in _split(order[by_row[order] == width])]
    found = {}
    for rows in track(batches, description):
        width = by_row[rows[0]]
        for name, values in runner({name: values[rows, :width]
                                    for name, values in packed.items()}).items():
            if name not in found:
                shape = (values.shape[1:] if name in _OF_ROWS
                         else (int(by_row.max()), *values.shape[2:]))
                found[name] = np.zeros((len(by_row), *shape), values.dtype)
            found[name][(rows, *(slice(0, size) for size in values.shape[1:]))] = values
    return found


def _split(rows):
    return np.split(rows, range(_BATCH_SIZE, len(rows), _BATCH_SIZE))
