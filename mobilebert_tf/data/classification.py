"""Labelled texts as tf.data batches of the encoder's inputs."""

import numpy as np
import tensorflow as tf

from mobilebert_tf.data.glue import LabelledTexts
from mobilebert_tf.text.tokenizer import Tokenizer

# Padded lengths that batches come in; computing a short batch at full length is waste.
_LENGTH_STEP = 16


class LabelledBatches:
    """Tokenized texts with labels, batched by length.

    Every sequence is padded by at least one token: with trigram input the last token sees what
    follows it, and an exported model, of fixed length, always has padding there.

    Args:
      examples: texts and class ids.
      tokenizer: of the model.
      length: longest sequence in tokens, [CLS], [SEP] and one of padding included.
      batch_size: sequences a batch.
    """

    def __init__(self, examples: LabelledTexts, tokenizer: Tokenizer, length: int,
                 batch_size: int):
        vocabulary = tokenizer.vocabulary
        encoded = [[vocabulary.cls_id, *ids[: length - 3], vocabulary.sep_id]
                   for ids in tokenizer.encode_texts(list(examples.texts))]
        self._ids = tf.ragged.constant(encoded, dtype=tf.int32)
        self._labels = tf.constant(examples.labels, tf.int32)
        self._boundaries = list(range(_LENGTH_STEP, length, _LENGTH_STEP)) + [length]
        self._pad_id = vocabulary.pad_id
        self.batch_size = batch_size

    @property
    def steps(self) -> int:
        """Batches in one pass: every bucket of lengths ends with a batch that may be smaller."""
        buckets = np.digitize(self._ids.row_lengths(), self._boundaries)
        counts = np.bincount(buckets)
        return int(np.ceil(counts / self.batch_size).sum())

    def dataset(self, shuffle_seed: int | None = None) -> tf.data.Dataset:
        """(inputs, labels) batches; shuffled anew each pass where a seed is given, else always in
        one order, which is not the examples' own.

        inputs: dict of int32 `(batch, seq)`, as `Encoder` takes them; labels: int32 `(batch,)`.
        """
        dataset = tf.data.Dataset.range(len(self._labels))
        if shuffle_seed is not None:
            dataset = dataset.shuffle(len(self._labels), seed=shuffle_seed)
        dataset = dataset.map(lambda index: (self._ids[index], self._labels[index]))
        dataset = dataset.bucket_by_sequence_length(
            lambda ids, label: tf.shape(ids)[0] + 1,  # leaves room for one of padding
            # The boundary is exclusive, and padding goes to one below it.
            bucket_boundaries=[boundary + 1 for boundary in self._boundaries],
            bucket_batch_sizes=[self.batch_size] * (len(self._boundaries) + 1),
            padding_values=(tf.constant(-1), 0), pad_to_bucket_boundary=True)
        # Stated, because tf.data cannot tell: Keras shows the time left from it.
        dataset = dataset.apply(tf.data.experimental.assert_cardinality(self.steps))
        return dataset.map(self._inputs).prefetch(tf.data.AUTOTUNE)

    def _inputs(self, ids, labels):
        mask = tf.cast(ids >= 0, tf.int32)
        return {"input_word_ids": tf.where(ids >= 0, ids, self._pad_id), "input_mask": mask,
                "input_type_ids": tf.zeros_like(ids)}, labels
