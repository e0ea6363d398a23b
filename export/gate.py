"""The gate: a file compared with its Keras model on the task's dev set."""

import os

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.export import evidence, recipes
from mobilebert_tf.export.failed_gate import FailedGate
from mobilebert_tf.export.file.runner import Runner
from mobilebert_tf.export.gate_report import GateReport
from mobilebert_tf.export.held_out_scores import HeldOutScores
from mobilebert_tf.export.output_difference import OutputDifference
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner, require_vocabulary
from mobilebert_tf.tasks.task_data import TaskData

# Decimals of a drop in points. Float32 rounding changes a correlation by less; one wrong example
# changes it by more, in dev sets of up to 200,000 examples.
_DECIMALS = 3


class Gate:
    """Compares files with a Keras model on a task's dev set. The model runs once for all files.

    Both sides see the same inputs: each row is padded to the shortest length of the file that
    holds it, as on a phone.

    Args:
      contents: the model that the files are made of, with vocabulary and kind.
      data: the task with the files that it is scored on.
      source: path of the model, for messages.
      track: (batches, description) -> the batches one by one, to show progress.
    Attributes:
      task: with the model's labels and settings.
      examples: of the dev file.
      test_examples: of the test file; None if there is none.
    Raises:
      InputError: for a model of another task, a model without a vocabulary, and a dev or test file
        that is missing, damaged or empty.
    """

    def __init__(self, contents: ModelDirectory, data: TaskData, source: str | os.PathLike,
                 track: running.Track = running.untracked):
        self._contents, self._source, self._track = contents, source, track
        self._data = data
        data.task.check(contents.kind, source)
        require_vocabulary(contents, source)
        self.task = data.task.bound(contents.labels, contents.kind.settings)
        self.examples = self.task.read(data.dev_file)
        self.test_examples = None if data.test_file is None else self.task.read(data.test_file)
        self._of_model = {}

    def evaluate(self, content: bytes) -> GateReport:
        """Compare a file's content with the model on the dev set.

        Raises:
          InputError: for a file that is not one of ours, a dev file without tokens, or a Keras
            model that itself gives numbers that are not finite.
        """
        runner = Runner(content)
        recipe, task = runner.metadata.recipe, self.task
        features, expected, actual = self._run(runner, "dev", self.examples, self._data.dev_file)
        metric = task.metrics.main
        model_score, file_score = (task.score(run.answers, self.examples)[metric]
                                   for run in (expected, actual))
        drop = round(100 * (model_score - file_score), _DECIMALS)
        bound = recipes.get(recipe).max_drop
        found = evidence.gather(task, self.examples, expected.answers, actual.answers, bound)
        widths, counts = np.unique(running.widths(runner, features), return_counts=True)
        return GateReport(
            task=task.name, metric=metric, recipe=recipe, examples=len(self.examples),
            examples_by_length={int(width): int(count)
                                for width, count in zip(widths, counts, strict=True)},
            model_score=model_score, file_score=file_score, drop=drop, bound=bound,
            passed=bool(drop <= bound and actual.finite.all()),
            not_finite=_without_answer(actual),
            equal_predictions=self._equal_part(expected.answers, actual.answers),
            outputs={name: _difference(values[actual.finite], actual.outputs[name][actual.finite])
                     for name, values in expected.outputs.items()},
            evidence=found, weaknesses=found.weaknesses())

    def require(self, content: bytes) -> GateReport:
        """Return what `evaluate` does; raise FailedGate if the file did not pass."""
        report = self.evaluate(content)
        if not report.passed:
            raise FailedGate(report)
        return report

    def test(self, content: bytes) -> HeldOutScores | None:
        """Score a file and the model on the test set, which decides nothing; None without one.

        Raises:
          InputError: as `evaluate` does.
        """
        if self.test_examples is None:
            return None
        _, expected, actual = self._run(Runner(content), "test", self.test_examples,
                                        self._data.test_file)
        model_score, file_score = (
            self.task.score(run.answers, self.test_examples)[self.task.metrics.main]
            for run in (expected, actual))
        return HeldOutScores(len(self.test_examples), model_score, file_score)

    def _run(self, runner, name, examples, path):
        """The rows of a set, and what the Keras model and the file say about them."""
        key = name, runner.metadata.lengths
        if key not in self._of_model:
            self._of_model[key] = self._run_model(runner, name, examples, path)
        features, expected = self._of_model[key]
        actual = running.run(self.task.kind, runner, examples, features, self._track,
                             f"{runner.metadata.recipe} file on the {name} set")
        return features, expected, actual

    def _run_model(self, file, name, examples, path):
        """The rows, and what the Keras model says about them at the file's lengths."""
        runner = KerasRunner(self._contents, file.length, self._source, file.length_for)
        features = self.task.kind.rows(examples, runner.tokenizer, file.length)
        if not len(features.ids):
            raise InputError(f"{path} has no question whose context has tokens, so that a file has "
                             f"nothing to run; choose another {name} file")
        run = running.run(self.task.kind, runner, examples, features, self._track,
                          f"Keras model on the {name} set")
        wrong = _without_answer(run)
        if wrong:
            raise InputError(f"the Keras model gives numbers that are not finite for {wrong} of "
                             f"{len(examples)} {self.task.name} {name} examples")
        return features, run

    def _equal_part(self, expected, actual):
        """The fraction of examples with equal predictions; None if predictions are numbers."""
        one, other = (self.task.kind.comparable(answers) for answers in (expected, actual))
        if one is None:
            return None
        return float(np.mean([a == b for a, b in zip(one, other, strict=True)]))


def _without_answer(run):
    return sum(answer is None for answer in run.answers)


def _difference(expected, actual):
    if not len(expected):
        return OutputDifference(None, None)
    absolute = np.abs(actual.astype(np.float64) - expected)
    return OutputDifference(float(absolute.max()), float(absolute.mean()))
