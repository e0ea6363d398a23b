"""Replacing tokens by random pieces: a pure function of the tokens and of noise."""

import numpy as np
import tensorflow as tf

from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary


def replace(ids, masked, input_mask, noise, vocabulary: Vocabulary, rate: float):
    """Replace tokens by random pieces, so that a student learns pieces that its texts lack.

    Each token that is not special, padding or masked is replaced with the same probability. All
    pieces that are not special are equally likely.

    Args:
      ids: int32 `(batch, seq)`, the original ids.
      masked: int32 `(batch, seq)`, the ids from `masking.mask`.
      input_mask: int32 `(batch, seq)`, 1 for real tokens.
      noise: from `masking.draw_noise`, `(batch, length, 3)`, with another seed than the masks'.
      vocabulary: the vocabulary of the ids.
      rate: probability, from 0 to 1.
    Returns:
      ids and masked, with the same pieces in the same places replaced.
    """
    special = np.isin(np.arange(len(vocabulary)),
                      [vocabulary.ids[piece] for piece in SPECIAL_PIECES])
    pieces = np.flatnonzero(~special).astype(np.int32)
    noise = noise[:, : tf.shape(ids)[1]]
    replaced = ((noise[:, :, 0] < rate) & (input_mask == 1) & (ids == masked)
                & ~tf.gather(special, ids))
    by = tf.gather(pieces, tf.cast(noise[:, :, 1] * len(pieces), tf.int32))
    return tf.where(replaced, by, ids), tf.where(replaced, by, masked)
