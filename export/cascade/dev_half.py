"""DevHalf: what the two files of a cascade say about one half of a dev set."""

from collections.abc import Sequence

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import jackknife
from mobilebert_tf.export.cascade.file_answers import FileAnswers
from mobilebert_tf.export.file.runner import Runner
from mobilebert_tf.running import run as running
from mobilebert_tf.running.model_runner import check_pairs
from mobilebert_tf.tasks.task import Task


class DevHalf:
    """One half of a dev set, with the answers of both files.

    Args:
      task: with the labels of the files.
      runners: of the first and the second file.
      examples: of the half.
      track: shows the progress; see `running.run.run`.
      name: of the half, for the progress.
    Raises:
      InputError: for a file that gives numbers that are not finite, and as `check_pairs` does.
    Attributes:
      examples: of the half.
      first, second: what the files say.
      confidences: of the first file's answers, float64 `(examples,)`.
    """

    def __init__(self, task: Task, runners: Sequence[Runner], examples: Sequence,
                 track: running.Track, name: str):
        self._task, self.examples = task, examples
        self.first, self.second = (
            _said(task.bound(task.labels, runner.kind.settings).kind, runner, examples, track,
                  f"{order} file on {name}")
            for order, runner in zip(("first", "second"), runners, strict=True))
        self.confidences = np.array(list(map(task.kind.confidence, self.first.answers)))

    def asked(self, threshold: float) -> np.ndarray:
        """Return for which examples the second file is asked, bool `(examples,)`."""
        return self.confidences <= threshold

    def score(self, asked: np.ndarray) -> float:
        """Return the metric of the answers, the second file's where it is asked."""
        return self._score(asked, np.arange(len(self.examples)))

    def loss_noise(self, asked: np.ndarray) -> float | None:
        """Return the standard error of the score's loss against the second file, in points.

        It is that of the same examples' difference, by the jackknife; None for fewer than three.
        """
        if len(self.examples) < 3:
            return None
        everywhere = np.ones_like(asked)
        return 100 * jackknife.standard_error([
            self._score(everywhere, numbers) - self._score(asked, numbers)
            for numbers in jackknife.samples(len(self.examples))])

    def _score(self, asked, numbers):
        answers = [(self.second if asked[number] else self.first).answers[number]
                   for number in numbers]
        chosen = self._task.kind.select(self.examples, numbers.tolist())
        return self._task.score(answers, chosen)[self._task.metrics.main]


def _said(kind, runner, examples, track, description):
    check_pairs(runner, kind.are_pairs(examples))
    features = kind.rows(examples, runner.tokenizer, runner.length)
    run = running.run(kind, runner, examples, features, track, description)
    if None in run.answers:
        raise InputError(f"the {description} gives numbers that are not finite: choose a file that "
                         "passes its comparison with the Keras model")
    return FileAnswers(run.answers, features.by_example(running.widths(runner, features)),
                       kind.decisions(run.outputs, examples, features))
