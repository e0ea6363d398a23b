"""Running examples through a model, of Keras or in a file."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.running.model_runner import ModelRunner

_BATCH_SIZE = 32

Track = Callable[[list, str], Iterable]


def untracked(batches: list, description: str) -> Iterable:
    return batches


@dataclasses.dataclass(frozen=True)
class RunResult:
    """What a model says about examples.

    Args:
      answers: one per example; None if the model gave numbers that are not finite.
      outputs: by name, with a row for each row of the features.
      finite: which rows have finite numbers only, bool `(rows,)`.
    """

    answers: list[Any]
    outputs: dict[str, np.ndarray]
    finite: np.ndarray


def run(kind: Kind, runner: ModelRunner, examples: Sequence, features: Features,
        track: Track = untracked, description: str = "Running") -> RunResult:
    """Run features through a model and make answers of its outputs.

    Args:
      kind: of the examples.
      runner: of the model.
      examples, features: of the kind; no row is longer than the runner takes.
      track: shows the progress: (batches, description) -> the batches one by one.
    """
    found = outputs(runner, features, track, description)
    finite = np.all([np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
                     for values in found.values()], axis=0)
    answers = kind.answers(found, examples, features)
    answers = [answer if of_rows.all() else None for answer, of_rows in zip(
        answers, features.by_example(finite), strict=True)]
    return RunResult(answers, found, finite)


def widths(runner: ModelRunner, features: Features) -> np.ndarray:
    """Return the number of positions that each row is padded to, int `(rows,)`."""
    return np.array([runner.length_for(len(ids)) for ids in features.ids])


def outputs(runner: ModelRunner, features: Features, track: Track = untracked,
            description: str = "Running") -> dict[str, np.ndarray]:
    """Compute a model's outputs for all rows, in batches of one width.

    Returns:
      by name, `(rows, ...)`; an output per token is 0 beyond the width of a row's batch.
    """
    if not len(features.ids):
        # No question's context has a token. Only a run tells the shapes of the outputs.
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
                shape = ((int(by_row.max()), *values.shape[2:])
                         if runner.kind.outputs[name].per_token else values.shape[1:])
                found[name] = np.zeros((len(by_row), *shape), values.dtype)
            found[name][(rows, *(slice(0, size) for size in values.shape[1:]))] = values
    return found


def _split(rows):
    return np.split(rows, range(_BATCH_SIZE, len(rows), _BATCH_SIZE))
