"""Calibrator: the temperature that makes the probabilities of a model believable.

Logits divided by one number, the temperature, give probabilities that can be near the share of
right answers, and the same answers (Guo et al. 2017, arXiv:1706.04599, section 4.2). The weights
and the bias of the output layer are divided, so that a file needs no operation for it.
"""

import dataclasses
import os

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.confidence import Confidence
from mobilebert_tf.export.file.runner import Runner
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks.task_data import TaskData

_BINS = 15
_DIGITS = 3


class Calibrator:
    """Fits a model's temperature on one half of its task's dev set, and measures on the other.

    Args:
      contents: the model with vocabulary and kind.
      data: the model's task with its files; None is refused.
      source: path of the model, for messages.
      length: the most tokens of a row.
      track: shows the progress; see `running.run.run`.
    Attributes:
      contents: a copy of the model whose logits are divided by the temperature.
    Raises:
      InputError: for no data, a kind without decisions, a model of another task, a dev file that is
        missing, damaged or has fewer than two examples, a dev set for which no temperature is best,
        and a model that gives numbers that are not finite.
    """

    def __init__(self, contents: ModelDirectory, data: TaskData | None, source: str | os.PathLike,
                 length: int, track: running.Track = running.untracked):
        contents.kind.require_decisions()
        if data is None:
            raise InputError("a temperature is fitted on the task's dev set: name the task's data")
        data.task.check(contents.kind, source)
        task = data.task.bound(contents.labels, contents.kind.settings)
        self._kind, self._source, self._track = task.kind, source, track
        examples = task.read(data.dev_file)
        if len(examples) < 2:
            raise InputError(f"{data.dev_file} has one example, and the temperature is fitted on "
                             "one half of the dev set and measured on the other")
        fitted_on, self._measured_on = (
            task.kind.select(examples, range(start, len(examples), 2)) for start in (0, 1))
        runner = KerasRunner(contents, length, source)
        fitted = self._decisions(runner, fitted_on, "Keras model on half of the dev set")
        self._before = self._decisions(runner, self._measured_on, "Keras model on the other half")
        temperature = fitted.best_temperature()
        if temperature is None:
            raise InputError(
                f"no temperature is best on the 1st, 3rd, 5th, ... example of {data.dev_file}, "
                "since the model is right about all of them or no better than chance: choose "
                "another dev file, or leave the calibration out")
        # Equal on all machines, and what reports say.
        self._temperature = float(f"{temperature:.{_DIGITS}g}")
        self._fitted_on = len(fitted_on)
        self.contents = tempered(contents, self._temperature)

    def confidence_of(self, content: bytes) -> Confidence:
        """Return what the temperature changes, measured with a file that was made of `contents`.

        Args:
          content: of a file that gives finite numbers.
        """
        runner = Runner(content)
        of_file = self._decisions(runner, self._measured_on,
                                  f"{runner.metadata.recipe} file on half of the dev set")
        before, after = self._before, self._before.divided(self._temperature)
        return Confidence(
            temperature=self._temperature, fitted_on=self._fitted_on,
            measured_on=len(self._measured_on), decisions=len(before.gold), bins=_BINS,
            error_before=before.calibration_error(_BINS),
            error_after=after.calibration_error(_BINS),
            error_of_file=of_file.calibration_error(_BINS),
            loss_before=before.negative_log_likelihood(),
            loss_after=after.negative_log_likelihood())

    def _decisions(self, runner, examples, what):
        features = self._kind.rows(examples, runner.tokenizer, runner.length)
        outputs = running.outputs(runner, features, self._track, what)
        if not all(np.isfinite(values).all() for values in outputs.values()):
            raise InputError(f"{self._source} gives numbers that are not finite, so its confidence "
                             "cannot be calibrated")
        return self._kind.decisions(outputs, examples, features)


def tempered(contents: ModelDirectory, temperature: float) -> ModelDirectory:
    """Return a copy of a model whose logits are divided by a temperature, with the same answers.

    Args:
      contents: a model with a dense output layer, and its kind.
      temperature: above 0.
    """
    model = type(contents.model).from_config(contents.model.get_config())
    model.set_weights(contents.model.get_weights())
    output = contents.kind.exported_head(model).output
    for variable in (output.kernel, output.bias):
        variable.assign(variable / temperature)
    return dataclasses.replace(contents, model=model, kind=contents.kind.tempered(temperature))
