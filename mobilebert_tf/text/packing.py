"""Packing: one or two token sequences to a model's fixed-length inputs."""

import numpy as np

from mobilebert_tf.errors import InputError


def pair_lengths(length_a, length_b, room):
    """Return how many tokens of each sequence of a pair remain when only `room` fit.

    This is the closed form of `_truncate_seq_pair` in google-research/bert's run_classifier.py,
    which drops the last token of the longer sequence, or of the second if both are equally long,
    until they fit.
    """
    half = room // 2
    if length_a + length_b <= room:
        return length_a, length_b
    if length_b <= half:
        return room - length_b, length_b
    if length_a <= room - half:
        return length_a, room - length_a
    return room - half, half


def check_length(length, has_pair):
    """Raise InputError if `length` cannot hold the special tokens."""
    least = 3 if has_pair else 2
    if length < least:
        raise InputError(f"a length of {length} is too small: [CLS] and [SEP] alone take {least}")


def join(tokens_a, tokens_b=None, *, length, cls_id, sep_id):
    """Return [CLS] a [SEP], or [CLS] a [SEP] b [SEP], and how many of the tokens precede b.

    Source: `convert_single_example` in google-research/bert's run_classifier.py. A single sequence
    loses its end; a pair is cut by `pair_lengths`.

    Args:
      tokens_a: list of int, ids without special tokens.
      tokens_b: list of int, or None for a single sequence.
      length: int, the most tokens of the result.
      cls_id: int, id of [CLS].
      sep_id: int, id of [SEP].

    Raises:
      InputError: if `length` cannot hold the special tokens.

    Example:
      >>> join([7, 8], [9, 10], length=6, cls_id=2, sep_id=3)
      ([2, 7, 8, 3, 9, 3], 4)
    """
    check_length(length, tokens_b is not None)
    if tokens_b is None:
        ids = [cls_id, *tokens_a[:length - 2], sep_id]
        return ids, len(ids)
    length_a, length_b = pair_lengths(len(tokens_a), len(tokens_b), length - 3)
    first = [cls_id, *tokens_a[:length_a], sep_id]
    return [*first, *tokens_b[:length_b], sep_id], len(first)


def pack(tokens_a, tokens_b=None, *, length, cls_id, sep_id, pad_id):
    """Pad what `join` returns to `length`, and make its mask and segments, as models take them.

    Args:
      tokens_a, tokens_b, cls_id, sep_id: as for `join`.
      length: int, of all three results.
      pad_id: int, id of [PAD].

    Returns:
      ids, mask, segment_ids: lists of int. Mask is 1 at real tokens, special ones included;
      segment is 1 at b and its [SEP]; both are 0 at padding.

    Raises:
      InputError: if `length` cannot hold the special tokens.

    Example:
      >>> pack([7, 8], [9], length=7, cls_id=2, sep_id=3, pad_id=0)
      ([2, 7, 8, 3, 9, 3, 0], [1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 1, 1, 0])
    """
    ids, first = join(tokens_a, tokens_b, length=length, cls_id=cls_id, sep_id=sep_id)
    padding = length - len(ids)
    segment_ids = [0] * first + [1] * (len(ids) - first) + [0] * padding
    return ids + [pad_id] * padding, [1] * len(ids) + [0] * padding, segment_ids


def encode_batch(tokenizer, texts, second_texts=None, *, length):
    """Tokenize and pack texts, or pairs of texts, to the inputs of the models.

    Args:
      tokenizer: `Tokenizer`.
      texts: list of str.
      second_texts: list of str, one for each text; None for single texts.
      length: int, columns of the results.

    Returns:
      dict of `input_word_ids`, `input_mask`, `input_type_ids`: int32 NumPy `(texts, length)`.

    Raises:
      InputError: if `second_texts` is not as long as `texts`, or `length` is too small.
    """
    check_length(length, second_texts is not None)
    if second_texts is not None and len(second_texts) != len(texts):
        raise InputError(f"{len(texts)} texts and {len(second_texts)} second texts do not make "
                         "pairs")
    all_tokens_a = tokenizer.encode_texts(texts)
    all_tokens_b = ([None] * len(texts) if second_texts is None
                    else tokenizer.encode_texts(second_texts))
    vocabulary = tokenizer.vocabulary
    packed = [pack(tokens_a, tokens_b, length=length, cls_id=vocabulary.cls_id,
                   sep_id=vocabulary.sep_id, pad_id=vocabulary.pad_id)
              for tokens_a, tokens_b in zip(all_tokens_a, all_tokens_b, strict=True)]
    # An empty batch needs the shape.
    ids, mask, segment_ids = np.array(packed, np.int32).reshape(-1, 3, length).swapaxes(0, 1)
    return {"input_word_ids": ids, "input_mask": mask, "input_type_ids": segment_ids}
