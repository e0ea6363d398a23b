"""Masked-LM examples in tf.data: masked anew each time they are drawn."""

from collections.abc import Iterable, Sequence

import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import Vocabulary

# Devlin et al. 2019: of the tokens, of the chosen ones, and the rest stay as is.
_CHOSEN, _TO_MASK, _TO_RANDOM = 0.15, 0.8, 0.1


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
    """An endless stream of shuffled, masked batches for `Pretrainer.fit`.

    Of the tokens 15 % are predicted; of these 80 % become [MASK], 10 % a random piece, 10 % stay.

    Args:
      examples: int32 `(blocks, length)`, without padding.
      seed: of order and masks.
    Returns:
      (inputs, labels, weights) batches. inputs: the encoder's and `masked_positions`; labels and
      weights: dicts with `mlm_logits` `(batch, predictions)`, weight 0 where nothing is predicted.
    """
    length = examples.shape[1]
    predictions = max(1, round(_CHOSEN * length))
    tf.random.set_seed(seed)
    selector = tf_text.RandomItemSelector(
        predictions, selection_rate=_CHOSEN,
        shuffle_fn=lambda items: tf.random.shuffle(items, seed),
        unselectable_ids=[vocabulary.cls_id, vocabulary.sep_id, vocabulary.unk_id])
    chooser = tf_text.MaskValuesChooser(
        len(vocabulary), vocabulary.mask_id, mask_token_rate=_TO_MASK,
        random_token_rate=_TO_RANDOM)

    def mask(ids):
        masked, positions, labels = tf_text.mask_language_model(
            tf.RaggedTensor.from_tensor(ids), selector, chooser)
        positions, weights = tf_text.pad_model_inputs(positions, predictions)
        labels, _ = tf_text.pad_model_inputs(labels, predictions)
        ids = masked.to_tensor(shape=(None, length))
        inputs = {"input_word_ids": ids, "input_mask": tf.ones_like(ids),
                  "input_type_ids": tf.zeros_like(ids),
                  "masked_positions": tf.cast(positions, tf.int32)}
        return inputs, {"mlm_logits": labels}, {"mlm_logits": tf.cast(weights, tf.float32)}

    dataset = tf.data.Dataset.from_tensor_slices(examples).shuffle(len(examples), seed=seed)
    return dataset.repeat().batch(batch_size).map(mask).prefetch(tf.data.AUTOTUNE)
