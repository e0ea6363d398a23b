"""Features as tf.data batches of the encoder's inputs."""

import numpy as np
import tensorflow as tf

from mobilebert_tf.data.features.features import Features
from mobilebert_tf.data.untuned import untuned

# Widths of batches are multiples of this. Computing a short batch at full length is waste.
LENGTH_STEP = 16
_AHEAD = 4


def width_for(tokens: int, length: int) -> int:
    """Return the width that a row of so many tokens is padded to: a multiple of 16, or `length`.

    At least one position of padding follows the tokens if `length` has room. With trigram input the
    last token sees the position after it, which is mostly padding in an exported model of fixed
    length.
    """
    return min((tokens // LENGTH_STEP + 1) * LENGTH_STEP, length)


class PaddedBatches:
    """Batches of rows of similar length, all padded to the same width.

    Args:
      features: rows with targets.
      length: most tokens of a row.
      batch_size: rows of a batch.
      pad_id: the vocabulary's id of [PAD].
    """

    def __init__(self, features: Features, length: int, batch_size: int, pad_id: int):
        self._ids = _ragged(features.ids)
        self._first_lengths = tf.constant(features.first_lengths, tf.int32)
        self._targets = _map(_column, features.targets)
        self._widths = np.array([width_for(len(ids), length) for ids in features.ids], np.int32)
        self._pad_id = pad_id
        self.batch_size = batch_size

    @property
    def steps(self) -> int:
        """Batches of one epoch; the last batch of each width may be smaller."""
        _, counts = np.unique(self._widths, return_counts=True)
        return int(np.ceil(counts / self.batch_size).sum())

    @property
    def computed(self) -> float:
        """Computed positions as a fraction of those if all rows had the greatest width."""
        return float(self._widths.mean() / self._widths.max())

    @tf.autograph.experimental.do_not_convert
    def dataset(self, seed: int, epoch: int) -> tf.data.Dataset:
        """Return (inputs, targets) batches, in an order that depends on seed and epoch alone.

        inputs: a dict of int32 `(batch, seq)`, as `Encoder` takes them. targets: int32 or float32
        `(batch,)`, float32 `(batch, classes)`, or int32 `(batch, seq)` with -1 at padding; or a
        dict of these by output.
        """
        order = np.random.default_rng([seed, epoch]).permutation(len(self._widths))
        dataset = tf.data.Dataset.from_tensor_slices((order, self._widths[order]))
        dataset = dataset.map(lambda row, width: (
            width, self._ids[row], self._first_lengths[row],
            _map(lambda column: column[row], self._targets)))
        widths = [int(width) for width in np.unique(self._widths)]
        paddings = (0, tf.constant(-1), 0, _map(
            lambda column: tf.constant(-1, column.dtype), self._targets))
        dataset = dataset.bucket_by_sequence_length(
            lambda width, *_: width,
            # Boundaries are exclusive, and padding goes to one below them.
            bucket_boundaries=[width + 1 for width in widths],
            bucket_batch_sizes=[self.batch_size] * (len(widths) + 1),
            padding_values=paddings, pad_to_bucket_boundary=True)
        # tf.data cannot tell the number of batches; Keras shows the remaining time by it.
        dataset = dataset.apply(tf.data.experimental.assert_cardinality(self.steps))
        return untuned(dataset.map(self._inputs).prefetch(_AHEAD))

    def _inputs(self, _, ids, first_lengths, targets):
        real = ids >= 0
        second = tf.range(tf.shape(ids)[1]) >= first_lengths[:, tf.newaxis]
        return {"input_word_ids": tf.where(real, ids, self._pad_id),
                "input_mask": tf.cast(real, tf.int32),
                "input_type_ids": tf.cast(real & second, tf.int32)}, targets


def _map(function, targets):
    if isinstance(targets, dict):
        return {name: function(values) for name, values in targets.items()}
    return function(targets)


def _column(values):
    """The targets of one output: float32 numbers or rows of numbers, int32 classes or rows of them.

    Rows of numbers are equally long and stay dense; rows of classes, one a token, are ragged.
    """
    first = np.asarray(values[0])
    if first.dtype.kind == "f":
        return tf.constant(np.asarray(values, np.float32))
    return _ragged(values) if first.ndim else tf.constant(values, tf.int32)


def _ragged(rows):
    return tf.RaggedTensor.from_row_lengths(np.concatenate(rows).astype(np.int32),
                                            [len(row) for row in rows])
