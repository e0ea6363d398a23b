"""Fitting a model to a task: compile, fit epoch by epoch, resume, keep the best."""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf
import tf_keras as keras

from mobilebert_tf.data.features.batches import PaddedBatches
from mobilebert_tf.files import remove_unfinished
from mobilebert_tf.finetuning.diverged import Diverged
from mobilebert_tf.finetuning.epoch_progress import EpochProgress
from mobilebert_tf.finetuning.epoch_record import EpochRecord
from mobilebert_tf.finetuning.result import FineTuningResult
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.finetuning.within_epoch import WithinEpoch
from mobilebert_tf.optimization.averages import Averages
from mobilebert_tf.optimization.build import adamw
from mobilebert_tf.optimization.schedule import WarmupLinearDecay
from mobilebert_tf.resuming.checkpoints import RunCheckpoints
from mobilebert_tf.resuming.position import Position
from mobilebert_tf.resuming.random_state import dropout_generators
from mobilebert_tf.resuming.stopping import Stopped, stop_signals
from mobilebert_tf.resuming.tensorboard_log import TensorBoardLog


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

    def __init__(self, model, losses: dict, train: PaddedBatches,
                 validate: Callable[[], dict | None], metric: str, settings: FineTuningSettings,
                 directory: str | os.PathLike,
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
        self._settings, self._checkpoint_seconds = settings, checkpoint_seconds
        self._directory, self._checkpoints = Path(directory), checkpoints
        self._record = EpochRecord(self._directory / "epochs.json", metric)
        self._log = TensorBoardLog(self._directory / "logs")
        # Of the epoch that is not over: its steps that are done, and the seconds that they took.
        self._done, self._taken = 0, tf.Variable(0.0, dtype=tf.float64, trainable=False)
        self._state = tf.train.Checkpoint(model=model, optimizer=model.optimizer,
                                          dropout=dropout_generators(model),
                                          averages=self._averages.state,
                                          sums=self._sums, taken=self._taken)
        self._has_graph = False

    def run(self, say: Callable[[str], None]) -> FineTuningResult:
        """Train until all epochs are done, or `patience` epochs brought no better score.

        If the loss becomes NaN, training ends and the best epoch so far is kept.

        Raises:
          Diverged: if the loss becomes NaN in the first epoch.
          InputError: as `RunCheckpoints` does.
          Stopped: after SIGINT or SIGTERM, when a checkpoint of the steps that are done is
            written.
        """
        with self._checkpoints.opened(), stop_signals() as stop:
            remove_unfinished(self._directory)
            self._resume(say)
            self._log.start(map(self._logged, range(1, self._record.epochs + 1)))
            with contextlib.closing(self._log):
                while self._goes_on():
                    if stop():
                        raise self._stopped(stop(), say)
                    if not self._fit_epoch(stop, say):
                        say(f"the loss stopped being a number in epoch "
                            f"{self._record.epochs + 1}")
                        break
            # A signal in the last epoch: what comes after this run should not begin.
            if stop():
                raise self._stopped(stop(), say)
        if not self._record.epochs:
            raise Diverged("the loss stopped being a number in the first epoch; lower the "
                           "learning rate, and choose another output directory")
        return self._record.result

    @property
    def seconds(self) -> float:
        """The duration of all epochs with their evaluation, over all processes of the run."""
        return self._record.seconds

    def _averaged(self, function):
        """Return the function, to be called while the model has its averaged weights."""
        def call(*arguments):
            with self._averages.in_place():
                return function(*arguments)
        return call

    def _goes_on(self):
        patience, epochs = self._settings.patience, self._record.epochs
        return epochs < self._settings.epochs and not (
            patience is not None and epochs
            and epochs - self._record.result.best_epoch >= patience)

    def _resume(self, say):
        position = self._checkpoints.restore(lambda _: self._state, say)
        if position is None:
            return
        self._done = position.step
        if position.stage:
            self._record.read(position.stage)
        say(f"continuing after {self._place()}")
        if not self._done:
            self._save_if_best()

    def _save_if_best(self):
        result = self._record.result
        if result.best_epoch == self._record.epochs:
            self._on_best(result.scores)

    def _place(self):
        epochs = self._record.epochs
        return (f"step {self._done:,} of {self._train.steps:,} of epoch {epochs + 1}"
                if self._done or not epochs else f"epoch {epochs}")

    def _stopped(self, signal, say):
        say(f"stopped after {self._place()}; run it again with the same arguments to continue")
        return Stopped(signal)

    def _logged(self, epoch):
        """Return an epoch's number, from 1, and its scalars for TensorBoard."""
        return epoch, {"train/learning_rate": float(self._rate(epoch * self._train.steps)),
                       **self._record.scalars(epoch)}

    def _fit_epoch(self, stop, say):
        """Train an epoch, or what is left of it; return False if the loss became NaN."""
        started, scores = time.monotonic() - float(self._taken), _Scores(self._validate)
        steps, epoch = self._train.steps, self._record.epochs

        def save(done):
            self._done = done
            self._taken.assign(time.monotonic() - started)
            self._checkpoints.save(Position(epoch, done), self._state)
            if stop():
                raise self._stopped(stop(), say)

        within = WithinEpoch(steps, self._done, self._sums, stop, save, self._checkpoint_seconds)
        with EpochProgress(epoch + 1, steps, not self._has_graph, self._done) as shown:
            logged = self._model.fit(
                self._train.dataset(self._settings.seed, epoch).skip(self._done),
                initial_epoch=epoch, epochs=epoch + 1,
                class_weight=self._class_weight, verbose=0,
                callbacks=[keras.callbacks.LambdaCallback(
                               on_train_batch_end=lambda *_: self._averages.update()),
                           keras.callbacks.TerminateOnNaN(), within, shown, scores])
        self._has_graph = True
        if not scores.found:
            return False
        self._record.add({name: value for name, (value,) in logged.history.items()},
                         time.monotonic() - started)
        say(self._record.line)
        self._done = 0
        self._taken.assign(0.0)
        # The order matters: a checkpoint finds the record of its epochs, and the saved model is of
        # an epoch that a checkpoint holds. `_resume` writes a model that is missing.
        self._record.write()
        self._log.write(*self._logged(epoch + 1))
        self._checkpoints.save(Position(epoch + 1, 0), self._state)
        self._save_if_best()
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
