"""Task: a data set with a kind of model and a metric."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf.data.datasets.glue import Files
from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.metrics import Metrics
from mobilebert_tf.kinds.kind import Kind

Labels = tuple[str, ...] | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """What a model is fine-tuned and scored on, as data.

    Args:
      name: in `catalogue.names()`, and in a model directory.
      kind: of its models, with the labels that the task fixes.
      metrics: the scores.
      read_file: (path, labels) -> the examples of a file.
      train_files, dev_file: the names of the task's files in its directory.
      test_file: the name of its test set; None if that has no labels, as in GLUE.
      find_labels: training files -> the labels; None if the task fixes them, or has none.
      columns: the names of the columns of the user's own table; None for a fixed format.
      glue_files: the layout of its files, if they are GLUE's, which TFDS has too; None for others.
      answer_values: what stands for each class in GLUE's submissions; None for the label.
    """

    name: str
    kind: Kind
    metrics: Metrics
    read_file: Callable[[Path, Labels], Sequence]
    train_files: tuple[str, ...]
    dev_file: str
    test_file: str | None = None
    find_labels: Callable[[Sequence[Path]], tuple[str, ...]] | None = None
    columns: dict[str, str] | None = None
    glue_files: Files | None = None
    answer_values: tuple[str, ...] | None = None

    @property
    def labels(self) -> Labels:
        return self.kind.labels

    def read(self, path: Path) -> Sequence:
        """Read the examples of a file, for a model to be scored on.

        Raises:
          InputError: with file and line, for anything wrong in the file; with the file, if no model
            can be scored on it.
        """
        examples = self.read_file(path, self.labels)
        self.kind.check_dev(examples, path)
        return examples

    def read_train(self, paths: Sequence[Path]) -> Sequence:
        """Read the examples of all training files together.

        Raises:
          InputError: with file and line, for anything wrong in the files.
        """
        found = None
        for path in paths:
            examples = self.read_file(path, self.labels)
            self.kind.check_train(examples, path)
            found = examples if found is None else found + examples
        return found

    def metric(self, name: str | None) -> str:
        """Return the name of the dev score that chooses a model; None means the task's own.

        Raises:
          InputError: for a name that the task does not have.
        """
        if name not in (None, *self.metrics.names):
            raise InputError(f"the task {self.name} has no metric {name!r}; known are "
                             f"{', '.join(self.metrics.names)}")
        return name or self.metrics.names[0]

    def score(self, answers: Sequence, examples: Sequence) -> dict[str, float]:
        """Compute the scores of answers by name; see `Kind.score`."""
        return self.kind.score(answers, examples, self.metrics)

    def found_in(self, paths: Sequence[Path]) -> "Task":
        """Return the task with the labels of training files, unless it has labels or needs none."""
        if self.labels is not None or self.find_labels is None:
            return self
        return self.bound(self.find_labels(paths), self.kind.settings)

    def bound(self, labels: Labels, settings) -> "Task":
        """Return the task with the labels and the settings of a model."""
        return dataclasses.replace(self, kind=self.kind.bound(labels, settings))

    def check(self, kind: Kind, source) -> None:
        """Raise InputError unless a model of this kind, with its labels, is one for this task.

        Args:
          kind: of the model.
          source: the name of the model, for messages.
        """
        if kind.name != self.kind.name:
            raise InputError(f"{source} is for {kind.name}; the task {self.name} needs a model for "
                             f"{self.kind.name}")
        if not kind.has_labels:
            return
        if self.labels is not None and _folded(kind.labels) != _folded(self.labels):
            raise InputError(f"{source} {_difference(kind.labels, self.labels, self.name)}")
        if kind.labels is None:
            raise InputError(f"{source} does not name its labels, by which the task {self.name} "
                             "reads its files; fine-tune it on the task first")


def left_out_of(examples: Sequence) -> tuple[LeftOut, ...]:
    """Return the rows of a table that are none of the examples; empty for other formats."""
    return getattr(examples, "skipped", ())


def _folded(labels):
    return labels and [label.lower() for label in labels]


def _difference(labels, wanted, task):
    """How the labels of a model differ from those of a task, which may be hundreds."""
    if labels is None:
        return f"has no labels; the task {task} has {', '.join(wanted)}"
    sides = (("it alone has", _without(labels, wanted)),
             ("the task alone has", _without(wanted, labels)))
    clauses = [f"{side} {', '.join(alone)}" for side, alone in sides if alone]
    if not clauses:
        return (f"has the labels of the task {task} in another order: {', '.join(labels)} instead "
                f"of {', '.join(wanted)}")
    return f"has other labels than the task {task}: {'; '.join(clauses)}"


def _without(labels, others):
    return [label for label in labels if label.lower() not in _folded(others)]
