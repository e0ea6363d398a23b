"""Few-shot fine-tuning: contrastive pairs of few rows, then a logistic regression as the head.

Source: Tunstall et al. 2022 (arXiv:2209.11055), SetFit.
"""

import dataclasses

import tf_keras as keras

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.errors import InputError
from mobilebert_tf.finetuning import pairs, regression_head
from mobilebert_tf.finetuning.pair_batches import PairBatches
from mobilebert_tf.finetuning.start import Start
from mobilebert_tf.finetuning.training_setup import TrainingSetup
from mobilebert_tf.model_directory import ModelDirectory
from mobilebert_tf.models.pair_cosine import PairCosine
from mobilebert_tf.tasks.task import Task

_POOLER = "mean"


def begin(task: Task, start: Start, train, *, rows: int, seed: int) -> tuple:
    """Return the start with the mean as pooler, and the few rows of the training set.

    Args:
      task: of one class per text.
      start: what fine-tuning starts from.
      train: the examples of the training set.
      rows: drawn of each class.
      seed: for the draw.
    Raises:
      InputError: for pairs of texts, another pooler, or a class with a single row.
    """
    if train.second_texts is not None:
        raise InputError(f"few-shot fine-tuning is for single texts, and the task {task.name} has "
                         "pairs; leave out --few-shot")
    if start.pooler not in (None, _POOLER):
        raise InputError(f"few-shot fine-tuning reads the mean of the states, and the pooler "
                         f"{start.pooler} was asked for; leave it out")
    chosen = pairs.draw(train.labels, task.kind.labels, rows, seed)
    return dataclasses.replace(start, pooler=_POOLER), task.kind.select(train, chosen)


def setup(contents: ModelDirectory, train, rows: Features, length: int, *, iterations: int,
          batch_size: int) -> TrainingSetup:
    """Return how a classifier learns from few rows: its encoder is fitted, its head is computed.

    Args:
      contents: with the classifier.
      train: the few examples.
      rows: of the examples, with their classes.
      length: most tokens of a row.
      iterations: in each, every row gets a pair within its class and a pair across classes.
      batch_size: pairs per batch.
    """
    pad_id = contents.vocabulary.pad_id
    inputs = rows.packed(max(map(len, rows.ids)), pad_id)
    return TrainingSetup(
        PairCosine(contents.model.encoder), {"loss": keras.losses.MeanSquaredError()},
        PairBatches(rows, iterations, length, batch_size, pad_id),
        f" of {batch_size} pairs; then a logistic regression",
        lambda: regression_head.fit(contents.model, inputs, train.labels))
