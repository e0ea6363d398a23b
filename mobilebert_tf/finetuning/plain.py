"""Plain fine-tuning: all rows, with the kind's own losses."""

from mobilebert_tf.data.features.batches import PaddedBatches
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.finetuning import class_weights
from mobilebert_tf.finetuning.training_setup import TrainingSetup
from mobilebert_tf.model_directory import ModelDirectory


def setup(contents: ModelDirectory, train, rows: Features, length: int, *, batch_size: int,
          balanced: bool) -> TrainingSetup:
    """Return how a model learns its task from all rows.

    Args:
      contents: with the model.
      train: the examples.
      rows: of the examples, with their targets.
      length: most tokens of a row.
      batch_size: rows per batch.
      balanced: whether all classes count the same in the loss.
    """
    batches = PaddedBatches(rows, length, batch_size, contents.vocabulary.pad_id)
    return TrainingSetup(
        contents.model, contents.kind.losses(), batches,
        f"; batches by length compute {batches.computed:.0%} of the positions that one width would",
        class_weight=class_weights.balanced(train.labels) if balanced else None)
