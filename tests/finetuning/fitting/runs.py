"""Runs of a bag of words in place of a model, and the moments at which they are killed."""

import dataclasses

import tf_keras as keras

from mobilebert_tf.finetuning.epoch_record import EpochRecord
from mobilebert_tf.finetuning.fitting import Fitting
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.resuming.checkpoints import RunCheckpoints
from mobilebert_tf.resuming.random_state import dropout_generators

from ...processes import Killed
from ...weights import same

SETTINGS = FineTuningSettings(learning_rate=1e-2, batch_size=8, epochs=4, length=32, seed=1)
SCORES = (0.1, 0.9, 0.5, 0.9)
LOSSES = {"loss": keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
AVERAGED = dataclasses.replace(SETTINGS, ema_momentum=0.9)


class Run:
    """A run in a directory; each call is a start of the same command in a new process."""

    def __init__(self, built, batches, directory, scores=SCORES, settings=SETTINGS,
                 class_weight=None, checkpoint_seconds=600.0, losses=LOSSES):
        self.model, self._weights = built
        self._checkpoint_seconds, self._losses = checkpoint_seconds, losses
        self._batches, self._scores, self._settings = batches, scores, settings
        self.directory, self.saved, self.killed_in = directory, [], None
        self.said, self.said_of_epochs = [], []
        self.saved_scores, self._class_weight = [], class_weight

    @property
    def epoch(self):
        """The one that is done, whichever process has come to it."""
        return int(self.model.optimizer.iterations) // self._batches.steps

    def validate(self):
        score = self._scores[self.epoch - 1]
        return None if score is None else {"loss_of": 1 - score, "mine": score}

    def save(self, scores):
        self.saved_scores.append(scores)
        self.saved.append(self.model.get_weights())

    def __call__(self):
        self.model.set_weights(self._weights)
        for index, generator in enumerate(dropout_generators(self.model)):
            generator.reset_from_seed(index)
        checkpoints = RunCheckpoints(self.directory / "checkpoints", {}, keep=2)
        return Fitting(self.model, self._losses, self._batches, self.validate, "mine",
                       self._settings, self.directory, checkpoints, self.save, self._class_weight,
                       self._checkpoint_seconds).run(self.say)

    def say(self, line):
        (self.said_of_epochs if line.startswith("epoch ") else self.said).append(line)


def in_the_epoch(run, patch):
    _die_instead(run, patch, run, "validate")


def before_the_record(run, patch):
    _die_instead(run, patch, EpochRecord, "write")


def before_the_checkpoint(run, patch):
    _die_instead(run, patch, RunCheckpoints, "save")


def before_the_model(run, patch):
    _die_instead(run, patch, run, "save")


def after_the_model(run, patch):
    real = run.save

    def save_and_die(scores):
        real(scores)
        if run.epoch == run.killed_in:
            raise Killed

    patch.setattr(run, "save", save_and_die)


def _die_instead(run, patch, owner, name):
    real = getattr(owner, name)

    def maybe(*arguments):
        if run.epoch == run.killed_in:
            raise Killed
        return real(*arguments)

    patch.setattr(owner, name, maybe)


def after_checkpoint(patch, position, end):
    """Call `end` as soon as the checkpoint of this position is written."""
    real = RunCheckpoints.save

    def save(self, at, state):
        real(self, at, state)
        if at == position:
            end()

    patch.setattr(RunCheckpoints, "save", save)


def die():
    raise Killed


def assert_same_averages(run, averaged):
    """Assert that the run ends with the averages of the fixture `averaged`, scored and saved."""
    expected, _, validated = averaged
    last, validate = [], run.validate
    run.validate = lambda: last.append(run.model.get_weights()) or validate()
    run()
    assert same(run.saved[-1], expected.saved[-1])
    assert same(last[-1], validated[-1])
