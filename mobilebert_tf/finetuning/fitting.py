"""Fitting a model to a task: compile, fit epoch by epoch, resume, keep the best."""

import contextlib
import dataclasses
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import tensorflow as tf
import tf_keras as keras

from mobilebert_tf import records
from mobilebert_tf.data.features.batches import Batches
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import remove_unfinished, write_atomically
from mobilebert_tf.finetuning.diverged import Diverged
from mobilebert_tf.finetuning.epoch_progress import EpochProgress
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.finetuning.within_epoch import WithinEpoch
from mobilebert_tf.optimization.averages import Averages
from mobilebert_tf.optimization.build import adamw
from mobilebert_tf.optimization.schedule import WarmupLinearDecay
from mobilebert_tf.resuming.checkpoints import Position, RunCheckpoints
from mobilebert_tf.resuming.random_state import dropout_generators
from mobilebert_tf.resuming.stopping import Stopped, stop_signals
from mobilebert_tf.resuming.tensorboard_log import TensorBoardLog


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of fine-tuning.

    Args:
      best_epoch: number of the best epoch, from 1; the first one of several equally good.
      metric: name of the score that chose it.
      scores: the dev scores of that epoch.
      history: Keras's log of every epoch, with the dev scores as `val_<name>`.
    """

    best_epoch: int
    metric: str
    scores: dict[str, float]
    history: dict[str, list[float]]

    @property
    def score(self) -> float:
        return self.scores[self.metric]


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    """epochs.json."""

    history: dict[str, list[float]]
    seconds: list[float]


class Fitting:
    """Trains one model epoch by epoch, with checkpoints after each epoch and within it.

    The position of a checkpoint counts epochs as stages.

    Args:
      model: built after `make_dropout_restorable`; compiled here.
      losses: `loss` and `loss_weights`, as `compile` takes them.
      train: batches of the training set.
      validate: () -> the current dev scores, or None if the model's outputs are not finite.
      metric: name of the score that chooses the best epoch.
      settings: see `FineTuningSettings`.
      directory: receives `epochs.json` and `logs/` for TensorBoard.
      checkpoints: of this run.
      on_best: called with the dev scores after each epoch that is the best so far, to save the
        model; after a kill perhaps twice.
      class_weight: as `fit` takes it.
      checkpoint_seconds: seconds between the checkpoints within an epoch.
    """

    def __init__(self, model, losses: dict, train: Batches, validate: Callable[[], dict | None],
                 metric: str, settings: FineTuningSettings, directory: str | os.PathLike,
                 checkpoints: RunCheckpoints, on_best: Callable[[dict], None],
                 class_weight: dict[int, float] | None = None,
                 checkpoint_seconds: float = 600.0):
        steps = train.steps * settings.epochs
        rate = WarmupLinearDecay(settings.learning_rate, steps,
                                 int(steps * settings.warmup_fraction))
        self._rate = rate
        model.compile(adamw(model.trainable_variables, rate, settings.weight_decay), **losses)
        # Else Keras makes the sums of the mean losses in the first step, too late to restore them.
        model.compiled_loss.build(model.output)
        self._sums = [variable for mean in model.metrics for variable in mean.variables]
        self._averages = Averages(model.trainable_variables if settings.ema_momentum else (),
                                  settings.ema_momentum)
        self._model, self._train, self._class_weight = model, train, class_weight
        self._validate, self._on_best = self._averaged(validate), self._averaged(on_best)
        self._metric, self._settings = metric, settings
        self._checkpoint_seconds = checkpoint_seconds
        self._record, self._checkpoints = Path(directory) / "epochs.json", checkpoints
        self._log = TensorBoardLog(Path(directory) / "logs")
        # Of the epoch that is not over: its steps that are done, and the seconds that they took.
        self._done, self._taken = 0, tf.Variable(0.0, dtype=tf.float64, trainable=False)
        self._state = tf.train.Checkpoint(model=model, optimizer=model.optimizer,
                                          dropout=dropout_generators(model),
                                          averages=self._averages.state,
                                          sums=self._sums, taken=self._taken)
        self._history, self._seconds = {}, []
        self._has_graph = False

    def run(self, say: Callable[[str], None]) -> Result:
        """Train until all epochs are done, or `patience` epochs brought no better score.

        If the loss becomes NaN, training ends and the best epoch so far is kept.

        Raises:
          Diverged: if the loss becomes NaN in the first epoch.
          InputError: as `RunCheckpoints` does.
          Stopped: after SIGINT or SIGTERM, when a checkpoint of the steps that are done is
            written.
        """
        with self._checkpoints.opened(), stop_signals() as stop:
            remove_unfinished(self._record.parent)
            self._resume(say)
            self._log.start(map(self._logged, range(1, self._epochs + 1)))
            with contextlib.closing(self._log):
                while self._goes_on():
                    if stop():
                        raise self._stopped(stop(), say)
                    if not self._fit_epoch(stop, say):
                        say(f"the loss stopped being a number in epoch {self._epochs + 1}")
                        break
            # A signal in the last epoch: what comes after this run should not begin.
            if stop():
                raise self._stopped(stop(), say)
        if not self._epochs:
            raise Diverged("the loss stopped being a number in the first epoch; lower the "
                           "learning rate, and choose another output directory")
        return Result(self._best, self._metric, self._best_scores, self._history)

    @property
    def seconds(self) -> float:
        """The duration of all epochs with their evaluation, over all processes of the run."""
        return sum(self._seconds)

    def _averaged(self, function):
        """Return the function, to be called while the model has its averaged weights."""
        def call(*arguments):
            with self._averages.in_place():
                return function(*arguments)
        return call

    @property
    def _epochs(self):
        return len(self._history.get("loss", ()))

    @property
    def _best(self):
        scores = self._history[f"val_{self._metric}"]
        return scores.index(max(scores)) + 1

    @property
    def _best_scores(self):
        return {name.removeprefix("val_"): values[self._best - 1]
                for name, values in self._history.items() if name.startswith("val_")}

    def _goes_on(self):
        patience = self._settings.patience
        return self._epochs < self._settings.epochs and not (
            patience is not None and self._epochs and self._epochs - self._best >= patience)

    def _resume(self, say):
        position = self._checkpoints.restore(lambda _: self._state, say)
        if position is None:
            return
        epochs, self._done = position.stage, position.step
        if epochs:
            self._read_record(epochs)
        say(f"continuing after {self._place()}")
        if not self._done and self._best == epochs:
            self._on_best(self._best_scores)

    def _read_record(self, epochs):
        """Take over what is recorded of so many epochs."""
        try:
            record = records.read(self._record, _Record)
            if min(map(len, (record.seconds, *record.history.values()))) < epochs:
                raise InputError(f"{self._record} has fewer epochs than the checkpoint")
        except InputError as error:
            raise InputError(f"the run cannot be continued: {error}; choose another output "
                             "directory") from error
        self._history = {name: values[:epochs] for name, values in record.history.items()}
        self._seconds = record.seconds[:epochs]

    def _place(self):
        return (f"step {self._done:,} of {self._train.steps:,} of epoch {self._epochs + 1}"
                if self._done or not self._epochs else f"epoch {self._epochs}")

    def _line(self):
        """Return what is said after an epoch."""
        values = {name.replace("val_", "dev ", 1): values[-1]
                  for name, values in self._history.items()}
        numbers = ", ".join(f"{name} {value:.4f}" for name, value in values.items())
        return f"epoch {self._epochs}: {numbers}, {self._seconds[-1]:.0f} s"

    def _stopped(self, signal, say):
        say(f"stopped after {self._place()}; run it again with the same arguments to continue")
        return Stopped(signal)

    def _logged(self, epoch):
        """Return an epoch's number, from 1, and its scalars for TensorBoard."""
        scalars = {"train/learning_rate": float(self._rate(epoch * self._train.steps))}
        for name, values in self._history.items():
            tag = (name.replace("val_", "validation/", 1) if name.startswith("val_")
                   else f"train/{name}")
            scalars[tag] = values[epoch - 1]
        return epoch, scalars

    def _fit_epoch(self, stop, say):
        """Train an epoch, or what is left of it; return False if the loss became NaN."""
        started, scores = time.monotonic() - float(self._taken), _Scores(self._validate)
        steps = self._train.steps

        def save(done):
            self._done = done
            self._taken.assign(time.monotonic() - started)
            self._checkpoints.save(Position(self._epochs, done), self._state)
            if stop():
                raise self._stopped(stop(), say)

        within = WithinEpoch(steps, self._done, self._sums, stop, save, self._checkpoint_seconds)
        with EpochProgress(self._epochs + 1, steps, not self._has_graph, self._done) as shown:
            logged = self._model.fit(
                self._train.dataset(self._settings.seed, self._epochs).skip(self._done),
                initial_epoch=self._epochs, epochs=self._epochs + 1,
                class_weight=self._class_weight, verbose=0,
                callbacks=[keras.callbacks.LambdaCallback(
                               on_train_batch_end=lambda *_: self._averages.update()),
                           keras.callbacks.TerminateOnNaN(), within, shown, scores])
        self._has_graph = True
        if not scores.found:
            return False
        for name, values in logged.history.items():
            self._history.setdefault(name, []).extend(map(float, values))
        self._seconds.append(time.monotonic() - started)
        say(self._line())
        self._done = 0
        self._taken.assign(0.0)
        # The order matters: a checkpoint finds the record of its epochs, and the saved model is of
        # an epoch that a checkpoint holds. `_resume` writes a model that is missing.
        write_atomically(self._record, json.dumps(
            {"history": self._history, "seconds": self._seconds}, indent=2).encode() + b"\n")
        self._log.write(*self._logged(self._epochs))
        self._checkpoints.save(Position(self._epochs, 0), self._state)
        if self._best == self._epochs:
            self._on_best(self._best_scores)
        return True


class _Scores(keras.callbacks.Callback):
    """Adds the dev scores to an epoch's logs as `val_<name>`.

    Callbacks after this one show and record the scores as if Keras had computed them. Keras's own
    validation has no metrics that need all predictions at once.
    """

    def __init__(self, validate):
        super().__init__()
        self.found, self._validate = None, validate

    def on_epoch_end(self, epoch, logs=None):
        if self.model.stop_training:  # the loss is NaN
            return
        self.found = self._validate()
        if self.found:
            logs.update({f"val_{name}": score for name, score in self.found.items()})
