"""Masking of the tokens to predict: a pure function of the tokens and of seeded noise."""

import dataclasses

import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

# What the three numbers of a token's noise decide: whether the token is chosen, what replaces it,
# and which random piece.
_CHOICE, _REPLACEMENT, _PIECE = range(3)


@dataclasses.dataclass(frozen=True)
class Masking:
    """How many tokens are predicted and what replaces them.

    Source of the defaults: Devlin et al. 2019 (arXiv:1810.04805), section 3.1.

    Args:
      rate: fraction of the tokens that is predicted; at least one token a row, unless it is 0.
      to_mask: fraction of the predicted tokens that [MASK] replaces.
      to_random: fraction of them that a random piece of the vocabulary replaces; the rest stays.
      whole_word: whether `rate` counts words; the pieces of a word are predicted together.
    Raises:
      InputError: if a fraction is not from 0 to 1, or `to_mask` and `to_random` exceed 1 together.
    """

    rate: float = 0.15
    to_mask: float = 0.8
    to_random: float = 0.1
    whole_word: bool = False

    def __post_init__(self):
        for name in ("rate", "to_mask", "to_random"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} of the masking must be from 0 to 1. "
                                 f"Received: {getattr(self, name)}")
        if self.to_mask + self.to_random > 1:
            raise InputError("to_mask and to_random must not exceed 1 together. Received: "
                             f"{self.to_mask:g} and {self.to_random:g}")


def draw_noise(seed, rows: int, length: int):
    """Draw noise for `mask`, float32 `(rows, length, 3)` in [0, 1), by the arguments alone.

    A worker that holds some rows of a batch draws for the whole batch and takes its own rows.

    Args:
      seed: int `(2,)`.
      rows: rows of the whole batch.
      length: most tokens of any row of any batch.
    """
    return tf.random.stateless_uniform((rows, length, 3), seed)


def mask(ids, input_mask, noise, vocabulary: Vocabulary, masking: Masking):
    """Choose tokens to predict and replace them; special pieces are never chosen.

    The result for a row depends on its own tokens and noise alone, not on the padding.

    Args:
      ids: int32 `(batch, seq)`.
      input_mask: int32 `(batch, seq)`, 1 for real tokens; padding comes after them.
      noise: from `draw_noise`, `(batch, length, 3)`; `length` is at least the longest row's.
      vocabulary: the vocabulary of the ids.
      masking: how many tokens are chosen and what replaces them.
    Returns:
      masked ids, int32 `(batch, seq)`; positions, int32, labels, int32, and weights, float32, each
      `(batch, predictions)`. `predictions` is that of the row with most, 0 for a rate of 0.
      Positions ascend. A row with fewer predictions is filled with 0 in all three.
    """
    special = [vocabulary.ids[piece] for piece in SPECIAL_PIECES]
    rows = tf.RaggedTensor.from_tensor(ids, tf.reduce_sum(input_mask, axis=1))
    if masking.whole_word:
        rows = _words(rows, ids, vocabulary, special)
    masked, positions, labels = tf_text.mask_language_model(
        rows, _NoisySelector(special, masking.rate, noise),
        _NoisyChooser(vocabulary, masking, noise))
    weights = tf.ones_like(labels, tf.float32)
    masked = masked.to_tensor(vocabulary.pad_id, shape=tf.shape(ids, tf.int64))
    return (tf.ensure_shape(masked, ids.shape), tf.cast(positions.to_tensor(), tf.int32),
            labels.to_tensor(), weights.to_tensor())


def _words(rows, ids, vocabulary, special):
    """Split ragged `(batch, tokens)` into ragged `(batch, words, pieces)`."""
    is_special = np.zeros(len(vocabulary), bool)
    is_special[special] = True
    continues = np.array([piece.startswith("##") for piece in vocabulary.pieces])
    before = tf.concat([tf.fill((tf.shape(ids)[0], 1), vocabulary.pad_id), ids[:, :-1]], axis=1)
    # A special piece stands before a piece whose word's start was cut off; it counts as a word.
    starts = tf.logical_not(tf.gather(continues, ids)) | tf.gather(is_special, before)
    starts = tf.RaggedTensor.from_tensor(starts, rows.row_lengths())
    splits = tf.concat([tf.where(starts.values)[:, 0], rows.row_splits[-1:]], axis=0)
    counts = tf.reduce_sum(tf.cast(starts, tf.int64), axis=1)
    return tf.RaggedTensor.from_row_lengths(
        tf.RaggedTensor.from_row_splits(rows.values, splits), counts)


class _NoisySelector(tf_text.RandomItemSelector):
    """Select the items of each row with the least noise.

    The parent shuffles each row by the same function; with a seed, all rows would be alike.
    """

    def __init__(self, unselectable_ids, rate, noise):
        super().__init__(noise.shape[1], rate, unselectable_ids)
        self._noise = noise[:, :, _CHOICE]

    def get_selection_mask(self, input_ids, axis=1):
        selectable = self.get_selectable(input_ids, axis)
        items = selectable.row_lengths()
        selectable = selectable.to_tensor(False)
        noise = self._noise[:, : tf.shape(selectable)[1]]
        order = tf.argsort(tf.where(selectable, noise, 2.0), axis=1, stable=True)
        rank = tf.argsort(order, axis=1)
        wanted = tf.cast(tf.round(self.selection_rate * tf.cast(items, tf.float32)), tf.int32)
        if self.selection_rate > 0:
            wanted = tf.maximum(wanted, 1)
        wanted = tf.minimum(wanted, tf.reduce_sum(tf.cast(selectable, tf.int32), axis=1))
        return tf.RaggedTensor.from_tensor(rank < wanted[:, tf.newaxis], items)


class _NoisyChooser(tf_text.MaskValuesChooser):
    """Replace a row's n-th token to predict by the row's n-th noise."""

    def __init__(self, vocabulary, masking, noise):
        super().__init__(len(vocabulary), vocabulary.mask_id, masking.to_mask, masking.to_random)
        self._to_mask, self._up_to_random = masking.to_mask, masking.to_mask + masking.to_random
        self._noise = noise

    def get_mask_values(self, masked_lm_ids):
        places = tf.ragged.range(masked_lm_ids.row_lengths()).values
        noise = tf.gather_nd(self._noise, tf.stack([masked_lm_ids.value_rowids(), places], axis=1))
        labels = masked_lm_ids.values
        piece = tf.cast(noise[:, _PIECE] * self.vocab_size, labels.dtype)
        values = tf.where(noise[:, _REPLACEMENT] < self._up_to_random, piece, labels)
        values = tf.where(noise[:, _REPLACEMENT] < self._to_mask,
                          tf.cast(self.mask_token, labels.dtype), values)
        return masked_lm_ids.with_values(values)
