"""Fine-tuning a classifier: compile, fit, keep the best epoch."""

import dataclasses
import os
import sys
from collections.abc import Callable
from pathlib import Path

import tf_keras as keras

from mobilebert_tf.data.classification import LabelledBatches
from mobilebert_tf.errors import InputError
from mobilebert_tf.optimization.build import adamw
from mobilebert_tf.optimization.schedule import WarmupLinearDecay


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to fine-tune.

    The defaults suit a pre-trained BERT on two cores. MobileBERT wants larger learning rates and
    more epochs than BERT (Sun et al. 2020).
    """

    learning_rate: float = 5e-5
    batch_size: int = 32
    epochs: int = 3
    length: int = 64
    warmup_fraction: float = 0.1
    weight_decay: float = 0.01
    seed: int = 1


@dataclasses.dataclass(frozen=True)
class Result:
    """The best epoch, from 1, its dev accuracy, and the metrics of every epoch."""

    best_epoch: int
    accuracy: float
    history: dict[str, list[float]]


def fine_tune(model, train: LabelledBatches, dev: LabelledBatches, settings: Settings,
              logs: str | os.PathLike, on_best: Callable[[], None]) -> Result:
    """Trains a classifier; afterwards it has the weights of the epoch best on `dev`.

    Args:
      model: a `Classifier` with two classes or more.
      train, dev: batches.
      settings: see `Settings`.
      logs: directory for TensorBoard.
      on_best: called after each epoch that is the best so far, to save the model.
    Raises:
      InputError: when the loss stops being a number.
    """
    keras.utils.set_random_seed(settings.seed)
    steps = train.steps * settings.epochs
    rate = WarmupLinearDecay(settings.learning_rate, steps, int(steps * settings.warmup_fraction))
    model.compile(
        optimizer=adamw(model.trainable_variables, rate, settings.weight_decay),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"])
    best = _KeepBest(on_best)
    stop = keras.callbacks.TerminateOnNaN()
    history = model.fit(
        train.dataset(shuffle_seed=settings.seed), validation_data=dev.dataset(),
        epochs=settings.epochs, verbose=1 if sys.stdout.isatty() else 2,
        callbacks=[stop, best, keras.callbacks.TensorBoard(Path(logs), write_graph=False)])
    if best.epoch is None:
        raise InputError("the loss stopped being a number in the first epoch; lower the learning "
                         "rate")
    model.set_weights(best.weights)
    return Result(best.epoch, best.accuracy, history.history)


class _KeepBest(keras.callbacks.Callback):
    """Remembers the weights of the epoch with the highest dev accuracy."""

    def __init__(self, on_best):
        super().__init__()
        self.epoch, self.accuracy, self.weights = None, -1.0, None
        self._on_best = on_best

    def on_epoch_end(self, epoch, logs=None):
        if logs["val_accuracy"] > self.accuracy:
            self.epoch, self.accuracy = epoch + 1, float(logs["val_accuracy"])
            self.weights = self.model.get_weights()
            self._on_best()
