"""The gate: a file against the Keras model that it was made of, on the task's dev set."""

import dataclasses
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import tensorflow as tf

from ..data import glue
from ..errors import InputError
from ..evaluation import labels as task_labels
from ..evaluation import metrics, running
from ..model_directory import ModelDirectory
from ..text.packing import encode_batch
from ..text.tokenizer import Tokenizer
from . import heads, recipes
from .runner import Runner

# Scores are parts of a whole; a difference of two is exact to this many decimals of a point.
_DECIMALS = 9


@dataclasses.dataclass(frozen=True)
class Difference:
    """Absolute difference of an output over the dev set: the largest value, and the mean.

    Both are of the examples for which the file gives finite numbers, None where there are none.
    """

    max: float | None
    mean: float | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class GateReport:
    """What a file lost of the Keras model.

    Args:
      task: the task's name.
      metric: the metric's name.
      recipe: name of the file's recipe.
      examples: of the dev set.
      examples_by_length: how many of them each length of the file ran.
      model_score, file_score: the metric of each; 1 is perfect.
      drop: how much lower the file's score is, in points of 100; negative where it is higher.
      bound: the drop that the recipe may have.
      passed: whether the drop is within the bound and all outputs are finite numbers.
      not_finite: examples for which the file gives something else; they count as wrong.
      equal_predictions: part of the examples for which both predict the same.
      outputs: `Difference` by output name.
    """

    task: str
    metric: str
    recipe: str
    examples: int
    examples_by_length: dict[int, int]
    model_score: float
    file_score: float
    drop: float
    bound: float
    passed: bool
    not_finite: int
    equal_predictions: float
    outputs: dict[str, Difference]

    def to_dict(self) -> dict:
        """As JSON has it, whose names are text."""
        return {**dataclasses.asdict(self), "examples_by_length": {
            str(length): count for length, count in self.examples_by_length.items()}}

    def __str__(self):
        if self.not_finite:
            return (f"{self.recipe} gives numbers that are not finite for {self.not_finite} of "
                    f"{self.examples} {self.task} dev examples")
        return (f"{self.recipe}: {self.task} dev {self.metric} {self.file_score:.4f}, the Keras "
                f"model's {self.model_score:.4f} on {self.examples} examples; a drop of "
                f"{self.drop:.2f} points, {'within' if self.passed else 'beyond'} the "
                f"{self.bound:g} that the recipe may lose")


class FailedGate(Exception):
    """A file that lost more than its recipe may; `report` is its `GateReport`."""

    def __init__(self, report: GateReport):
        super().__init__(str(report))
        self.report = report


def _untracked(batches, description):
    return batches


class Gate:
    """Holds files against a classifier on a task's dev set. Files of one model share its run.

    Both sides see the same inputs: each text is packed to the length of the file that it runs at
    on a phone, the shortest that holds it.

    Args:
      model: the `Classifier` that the files are made of.
      task_name: of `data.glue.TASKS`.
      examples: `LabelledTexts`, the dev set.
      tokenizer: the model's.
      track: (batches, description) -> the batches one by one, to show progress.
    Raises:
      InputError: for an unknown task, one without a metric, another number of classes than the
        model has, or no examples.
    """

    def __init__(self, model, task_name: str, examples: glue.LabelledTexts, tokenizer: Tokenizer,
                 track: Callable[[list, str], Iterable] = _untracked):
        self._metric = metrics.of(task_name)
        classes = len(glue.task(task_name).labels)
        if heads.of(model).task != "classification" or model.num_classes != classes:
            raise InputError(f"the task {task_name} needs a classifier of {classes} classes")
        if not examples.texts:
            raise InputError(f"the dev set of {task_name} is empty")
        self._model, self._task, self._examples = model, task_name, examples
        self._tokenizer, self._track = tokenizer, track
        self._of_model = {}

    def evaluate(self, content: bytes) -> GateReport:
        """Runs the dev set through a file's content; its recipe says what it may lose.

        Raises:
          InputError: for a file that is not one of ours, or where the Keras model itself gives
            numbers that are not finite.
        """
        runner = Runner(content)
        width_for, lengths = runner.metadata.length_for, runner.metadata.lengths
        recipe = runner.metadata.recipe
        inputs = encode_batch(self._tokenizer, list(self._examples.texts), length=lengths[-1])
        if lengths not in self._of_model:
            self._of_model[lengths] = self._checked(self._run(
                keras_runner(self._model), inputs, width_for, "Keras model on the dev set"))
        expected = self._of_model[lengths]
        actual = self._run(runner, inputs, width_for, f"{recipe} file on the dev set")
        finite = _finite_rows(actual)
        labels = self._examples.labels
        model_predicted = expected["probabilities"].argmax(axis=-1)
        # -1 is no class: an example without finite numbers is a wrong one.
        file_predicted = np.where(finite, actual["probabilities"].argmax(axis=-1), -1)
        model_score, file_score = (self._metric.score(predicted, labels)
                                   for predicted in (model_predicted, file_predicted))
        drop = round(100 * (model_score - file_score), _DECIMALS)
        bound = recipes.get(recipe).max_drop
        return GateReport(
            task=self._task, metric=self._metric.name, recipe=recipe, examples=len(labels),
            examples_by_length={width: len(rows) for width, rows in running.by_width(
                inputs["input_mask"], width_for).items()},
            model_score=model_score, file_score=file_score, drop=drop, bound=bound,
            passed=bool(drop <= bound and finite.all()), not_finite=int((~finite).sum()),
            equal_predictions=float(np.mean(model_predicted == file_predicted)),
            outputs={name: _difference(values[finite], actual[name][finite])
                     for name, values in expected.items()})

    def require(self, content: bytes) -> GateReport:
        """What `evaluate` returns; FailedGate where it did not pass."""
        report = self.evaluate(content)
        if not report.passed:
            raise FailedGate(report)
        return report

    def _run(self, run, inputs, width_for, description):
        return running.outputs(run, inputs, width_for,
                               lambda batches: self._track(batches, description))

    def _checked(self, expected):
        wrong = int((~_finite_rows(expected)).sum())
        if wrong:
            raise InputError(f"the Keras model gives numbers that are not finite for {wrong} of "
                             f"{len(self._examples.texts)} {self._task} dev examples")
        return expected


def open_gate(contents: ModelDirectory, source: str | os.PathLike, data: str | os.PathLike,
              track: Callable[[list, str], Iterable] = _untracked) -> Gate:
    """The gate of what a model directory holds, on the dev set of its task.

    Args:
      contents: a classifier of a task, with vocabulary and labels.
      source: where it comes from, for messages.
      data: directory of the task's official files.
      track: see `Gate`.
    Raises:
      InputError: for labels that are not the task's, no vocabulary, and from `glue.read`.
    """
    task = glue.task(contents.task)
    task_labels.check(contents.labels, contents.task, source)
    if contents.vocabulary is None:
        raise InputError(f"{source} has no vocab.txt; name one with --vocab")
    return Gate(contents.model, contents.task, glue.read(Path(data) / task.dev_file, task),
                Tokenizer(contents.vocabulary, contents.lower_case), track)


def keras_runner(model) -> Callable:
    """Encoder inputs -> outputs by the names that they have in a file, of a Keras model."""
    head = heads.of(model)
    # One graph for every batch size and width; without one, each layer is called from Python.
    shapes = {name: tf.TensorSpec((None, None), tf.int32)
              for name in ("input_word_ids", "input_mask", "input_type_ids")}

    @tf.function(input_signature=[shapes], autograph=False)
    def run(inputs):
        return head.outputs(model, inputs)

    return lambda inputs: {name: values.numpy() for name, values in run(inputs).items()}


def _finite_rows(outputs):
    return np.all([np.isfinite(values).reshape(len(values), -1).all(axis=1)
                   for values in outputs.values()], axis=0)


def _difference(expected, actual):
    if not len(expected):
        return Difference(None, None)
    absolute = np.abs(actual.astype(np.float64) - expected)
    return Difference(float(absolute.max()), float(absolute.mean()))
