"""Replacing tokens by any piece of the vocabulary, a pure function of the tokens and of noise."""

import numpy as np
import tensorflow as tf

from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary


def replace(ids, masked, input_mask, noise, vocabulary: Vocabulary, rate: float):
    """Puts other pieces into texts, so that a student learns those that its texts lack.

    Every token that is neither special, nor padding, nor masked is replaced with the same
    probability, by any piece that is not special.

    Args:
      ids: int32 `(batch, seq)`, as the texts have them.
      masked: int32 `(batch, seq)`, the same as `masking.mask` returns them.
      input_mask: int32 `(batch, seq)`, 1 for real tokens.
      noise: of `masking.draw_noise`, `(batch, length, 3)`, from another seed than the masks'.
      vocabulary: of the ids.
      rate: probability, from 0 to 1.
    Returns:
      (ids, masked), replaced in the same places by the same pieces.
    """
    special = np.isin(np.arange(len(vocabulary)),
                      [vocabulary.ids[piece] for piece in SPECIAL_PIECES])
    pieces = np.flatnonzero(~special).astype(np.int32)
    noise = noise[:, : tf.shape(ids)[1]]
    replaced = ((noise[:, :, 0] < rate) & (input_mask == 1) & (ids == masked)
                & ~tf.gather(special, ids))
    by = tf.gather(pieces, tf.cast(noise[:, :, 1] * len(pieces), tf.int32))
    return tf.where(replaced, by, ids), tf.where(replaced, by, masked)
