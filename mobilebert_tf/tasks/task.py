"""Task: what fine-tuning, evaluation, export and packages need to know of a task."""

import abc
import dataclasses
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.confusion import Confusion
from mobilebert_tf.text.tokenizer import Tokenizer


@dataclasses.dataclass(frozen=True)
class Task(abc.ABC):
    """From files to scores, in four steps that each kind of task has its own way for.

    `read` gives examples, `features` what a model reads of them; a model's outputs become one
    answer an example in `answers`, and `score` compares those with what the examples say. The
    model may be Keras's or a file's: outputs are NumPy arrays by the names that a file has.

    Args:
      name: in `catalogue.NAMES`, and in a model directory.
      train_files, dev_file: what the task's data is called in its directory.
      test_file: what its test set is called there; None where that has no labels, as in GLUE.
      labels: names of the classes in the order of their ids; None where the task has none, or
        they are found in the training data.
      length: tokens of a row, where nobody says otherwise.
      options: what `catalogue.of` was given beside the name; a model directory keeps it.
    """

    name: str
    train_files: tuple[str, ...]
    dev_file: str
    labels: tuple[str, ...] | None = None
    length: int = 128
    options: dict | None = None
    test_file: str | None = None

    kind: ClassVar[str]
    # Whether answers are among labels, and whether a model is trained for the task at all.
    has_labels: ClassVar[bool] = False
    is_trained: ClassVar[bool] = True

    @property
    @abc.abstractmethod
    def metric(self) -> str:
        """The name of the score that says which of two models is better."""

    @property
    @abc.abstractmethod
    def metrics_to_choose_by(self) -> tuple[str, ...]:
        """The names of all scores by which one of two models can be better, `metric` first."""

    @abc.abstractmethod
    def read(self, path: Path) -> Sequence:
        """The examples of a file, for a model to be scored on.

        Raises:
          InputError: with file and line, for what is wrong in it; and with the file, where no
            model can be scored on it.
        """

    def found_in(self, paths: Sequence[Path]) -> "Task":
        """The task with its labels, found in the training files where it does not fix them."""
        return self

    def found_for_scoring(self, paths: Sequence[Path]) -> "Task":
        """The task as it reads files that no model says anything of: with their own labels."""
        return self

    def left_out(self, examples: Sequence) -> tuple[LeftOut, ...]:
        """The rows of the files that are none of the examples."""
        return ()

    def select(self, examples: Sequence, numbers: Sequence[int]) -> Sequence:
        """The examples of these numbers, counted from 0."""
        return tuple(examples[number] for number in numbers)

    @abc.abstractmethod
    def texts(self, examples: Sequence) -> list[str]:
        """All texts of the examples, for a vocabulary to be learned from and for calibration."""

    @abc.abstractmethod
    def features(self, examples: Sequence, tokenizer: Tokenizer, length: int) -> Features:
        """What a model reads of the examples, in rows of at most `length` tokens."""

    @abc.abstractmethod
    def answers(self, outputs: dict[str, np.ndarray], examples: Sequence,
                features: Features) -> list[Any]:
        """One answer an example, of a model's outputs for the rows of the features."""

    @abc.abstractmethod
    def score(self, answers: Sequence[Any], examples: Sequence) -> dict[str, float]:
        """Scores by name, `metric` among them; 1 is perfect. None is a wrong answer."""

    @abc.abstractmethod
    def readable(self, answers: Sequence[Any], examples: Sequence) -> Any:
        """The answers as JSON that people and other programs read."""

    @abc.abstractmethod
    def written_answers(self, path: Path, examples: Sequence) -> list[Any]:
        """One answer an example, from a file that any program wrote; None for a missing one.

        A JSON file has what `readable` gives.

        Raises:
          InputError: for a file that cannot be read, and answers that are not the examples'.
        """

    def confusion(self, answers: Sequence[Any], examples: Sequence) -> Confusion | None:
        """Which classes are taken for which; None where there is no one class an example."""
        return None

    def score_parts(self, answers: Sequence[Any], examples: Sequence) -> dict[str, dict]:
        """Scores by the name of a part of what is scored, such as a type of entity."""
        return {}

    def decided(self, scores: dict[str, float]) -> dict:
        """What the dev scores of a fine-tuned model decide, as fields of its `ModelDirectory`."""
        return {}

    def comparable(self, answers: Sequence[Any]) -> Sequence[Any] | None:
        """The answers as what can be equal or not; None where they are numbers."""
        return answers

    @abc.abstractmethod
    def constant(self, examples: Sequence) -> list[Any]:
        """One and the same answer to each example, as of a model that does not read: of classes
        the one that scores best, of spans and entities none."""

    @abc.abstractmethod
    def expected(self, examples: Sequence) -> list[Hashable]:
        """What the examples say is right, in the values that `said` has."""

    @abc.abstractmethod
    def said(self, answers: Sequence[Any], examples: Sequence) -> list[Hashable]:
        """What the answers say, as values of which the different ones can be counted; a broken
        answer says nothing."""

    def with_labels(self, labels: tuple[str, ...] | None) -> "Task":
        return dataclasses.replace(self, labels=labels)

    def with_settings(self, settings: QuestionSettings | None) -> "Task":
        """The task with a model's settings for questions, None for the defaults; of other kinds
        the task itself."""
        return self

    def read_train(self, paths: Sequence[Path]) -> Sequence:
        """The examples of all training files together."""
        examples = self.read(paths[0])
        for path in paths[1:]:
            examples = examples + self.read(path)
        return examples

    def check(self, kind: str, labels: tuple[str, ...] | None, source) -> None:
        """InputError unless a model of this kind, with these labels, is one of this task."""
        if kind != self.kind:
            raise InputError(f"{source} is for {kind}; the task {self.name} needs a model for "
                             f"{self.kind}")
        if not self.has_labels:
            return
        named = "no labels" if labels is None else f"the labels {', '.join(labels)}"
        if self.labels is not None and (labels is None
                                        or _folded(labels) != _folded(self.labels)):
            raise InputError(f"{source} is of another task than {self.name}: it has {named}, the "
                             f"task has {', '.join(self.labels)}")
        if labels is None:
            raise InputError(f"{source} does not name its labels, by which the task {self.name} "
                             "reads its files; fine-tune it on the task first")


def _folded(labels):
    return [label.lower() for label in labels]
