"""PairBatches: batches of pairs of texts, in the form that `Fitting` takes."""

import numpy as np
import tensorflow as tf

from mobilebert_tf.data import generated
from mobilebert_tf.data.features.batches import width_for
from mobilebert_tf.data.features.features import Features
from mobilebert_tf.data.untuned import untuned
from mobilebert_tf.finetuning import pairs


class PairBatches:
    """Batches of contrastive pairs of similar length; other pairs in each epoch.

    Args:
      features: the rows, with their classes as targets.
      iterations: see `pairs.contrastive`.
      length: most tokens of a row.
      batch_size: pairs per batch.
      pad_id: the vocabulary's id of [PAD].
    """

    def __init__(self, features: Features, iterations: int, length: int, batch_size: int,
                 pad_id: int):
        self._labels, self._iterations = np.asarray(features.targets), iterations
        self._widths = np.array([width_for(len(ids), length) for ids in features.ids])
        self._packed = features.packed(int(self._widths.max()), pad_id)
        self.batch_size = batch_size

    @property
    def steps(self) -> int:
        """Batches of one epoch."""
        return -(-2 * self._iterations * len(self._labels) // self.batch_size)

    def dataset(self, seed: int, epoch: int) -> tf.data.Dataset:
        """Return (inputs, targets) batches that depend on seed and epoch alone.

        inputs: a dict of int32 `(2 * pairs, seq)`, as `Encoder` takes them; rows 2i and 2i + 1 are
        pair i. targets: float32 `(pairs, 1)`.
        """
        random = np.random.default_rng([seed, 1, epoch])
        found, targets = pairs.contrastive(self._labels, self._iterations, random)
        # Most texts are short, and a batch is as wide as its longest: pairs of one width together
        # halve the computed positions of questions to a bank.
        order = np.argsort(self._widths[found].max(axis=1), kind="stable")
        starts = random.permutation(range(0, len(order), self.batch_size))

        def batches():
            for start in starts:
                chosen = order[start:start + self.batch_size]
                rows = found[chosen].reshape(-1)
                width = self._widths[rows].max()
                yield ({name: values[rows, :width] for name, values in self._packed.items()},
                       targets[chosen, np.newaxis])

        inputs = {name: tf.TensorSpec((None, None), tf.int32) for name in self._packed}
        dataset = generated.dataset(batches, (inputs, tf.TensorSpec((None, 1), tf.float32)))
        return untuned(dataset.apply(tf.data.experimental.assert_cardinality(self.steps)))
