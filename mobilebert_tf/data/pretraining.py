"""Masked-LM examples in tf.data: masked anew each time they are drawn."""

from collections.abc import Iterable, Sequence

import numpy as np
import tensorflow as tf

from mobilebert_tf.data.masking import Masking, draw_noise, mask
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import Vocabulary


def blocks(documents: Iterable[Sequence[int]], vocabulary: Vocabulary, length: int) -> np.ndarray:
    """Cuts documents into [CLS] tokens [SEP], int32 `(blocks, length)`.

    Documents follow each other without a gap; what does not fill a last block is dropped.

    Raises:
      InputError: when the documents do not fill one block.
    """
    stream = np.concatenate([np.asarray(document, np.int32) for document in documents])
    room = length - 2
    count = len(stream) // room
    if count == 0:
        raise InputError(f"the texts have {len(stream)} tokens, one block needs {room}")
    inner = stream[: count * room].reshape(count, room)
    edge = np.ones((count, 1), np.int32)
    return np.concatenate([edge * vocabulary.cls_id, inner, edge * vocabulary.sep_id], axis=1)


def masked_batches(examples: np.ndarray, vocabulary: Vocabulary, batch_size: int,
                   seed: int) -> tf.data.Dataset:
    """An endless stream of shuffled batches, masked by the defaults of `Masking`.

    For `Pretrainer.fit`.

    Args:
      examples: int32 `(blocks, length)`, without padding.
      seed: of order and masks.
    Returns:
      (inputs, labels, weights) batches. inputs: the encoder's and `masked_positions`; labels and
      weights: dicts with `mlm_logits` `(batch, predictions)`, weight 0 where nothing is predicted.
    """
    def masked(step, ids):
        noise = draw_noise(tf.stack([tf.constant(seed, tf.int64), step]), batch_size,
                           examples.shape[1])
        real = tf.ones_like(ids)
        word_ids, positions, labels, weights = mask(ids, real, noise, vocabulary, Masking())
        inputs = {"input_word_ids": word_ids, "input_mask": real,
                  "input_type_ids": tf.zeros_like(ids), "masked_positions": positions}
        return inputs, {"mlm_logits": labels}, {"mlm_logits": weights}

    dataset = tf.data.Dataset.from_tensor_slices(examples).shuffle(len(examples), seed=seed)
    dataset = dataset.repeat().batch(batch_size, drop_remainder=True)
    return dataset.enumerate().map(masked).prefetch(tf.data.AUTOTUNE)
