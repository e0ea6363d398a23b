"""Fine-tuning a classifier: compile, fit, keep the best epoch."""

import dataclasses
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tf_keras as keras

from mobilebert_tf.data.classification import LabelledBatches
from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.metrics import Metric
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
    """The best epoch, from 1, its score on the dev set, and what Keras logged of every epoch.

    `metric` names the score; `history` has it as `val_<metric>`.
    """

    best_epoch: int
    metric: str
    score: float
    history: dict[str, list[float]]


def fine_tune(model, train: LabelledBatches, dev: LabelledBatches, metric: Metric,
              settings: Settings, logs: str | os.PathLike, on_best: Callable[[], None]) -> Result:
    """Trains a classifier; afterwards it has the weights of the epoch best on `dev`.

    Where the loss stops being a number, training ends, and the best epoch before is kept.

    Args:
      model: a `Classifier` with two classes or more.
      train, dev: batches.
      metric: what the best epoch is best by; the first of equal ones.
      settings: see `Settings`.
      logs: directory for TensorBoard.
      on_best: called after each epoch that is the best so far, to save the model.
    Raises:
      InputError: when the loss stops being a number in the first epoch.
    """
    keras.utils.set_random_seed(settings.seed)
    steps = train.steps * settings.epochs
    rate = WarmupLinearDecay(settings.learning_rate, steps, int(steps * settings.warmup_fraction))
    model.compile(
        optimizer=adamw(model.trainable_variables, rate, settings.weight_decay),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"])
    best = _BestEpoch(dev, metric, on_best)
    stop = keras.callbacks.TerminateOnNaN()
    history = model.fit(
        train.dataset(shuffle_seed=settings.seed), epochs=settings.epochs,
        verbose=1 if sys.stdout.isatty() else 2,
        callbacks=[stop, best, keras.callbacks.TensorBoard(Path(logs), write_graph=False)])
    if best.epoch is None:
        raise InputError("the loss stopped being a number in the first epoch; lower the learning "
                         "rate")
    model.set_weights(best.weights)
    return Result(best.epoch, metric.name, best.score, history.history)


class _BestEpoch(keras.callbacks.Callback):
    """Scores every epoch on the dev set, and remembers the weights of the best.

    It stands before the callbacks that show and record an epoch, which find `val_loss` and
    `val_<metric>` in its logs as if Keras had put them there. Keras's own validation would be a
    second run of the dev set: it has no metric that needs all predictions at once.
    """

    def __init__(self, dev, metric, on_best):
        super().__init__()
        self.epoch, self.score, self.weights = None, None, None
        self._batches, self._metric, self._on_best = dev.dataset(), metric, on_best
        self._labels = np.concatenate([labels for _, labels in self._batches])

    def on_epoch_end(self, epoch, logs=None):
        logits = self.model.predict(self._batches, verbose=0)
        loss = float(self.model.loss(self._labels, logits))
        score = self._metric.score(logits.argmax(axis=-1), self._labels)
        logs.update({"val_loss": loss, f"val_{self._metric.name}": score})
        # Weights that are not numbers predict the first class, which scores something.
        if np.isfinite(loss) and (self.epoch is None or score > self.score):
            self.epoch, self.score, self.weights = epoch + 1, score, self.model.get_weights()
            self._on_best()
