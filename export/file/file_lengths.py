"""The lengths that a .tflite file can have."""

from collections.abc import Collection

from mobilebert_tf.checks import check_lengths
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError

LEAST_LENGTH = 3  # [CLS], a token, [SEP]


def checked_lengths(lengths: Collection[int], config: EncoderConfig) -> tuple[int, ...]:
    """Return the lengths of a file as Python's own numbers, ascending.

    Raises:
      InputError: for none, equal ones, and ones outside the model's positions.
    """
    check_lengths(lengths)
    lengths = tuple(sorted(map(int, lengths)))
    if len(set(lengths)) != len(lengths):
        raise InputError(f"the lengths of a file should be different. Received: {lengths}")
    for length in lengths:
        if not LEAST_LENGTH <= length <= config.max_positions:
            raise InputError(f"the length should be {LEAST_LENGTH} to {config.max_positions}, "
                             f"the model's positions. Received: {length}")
    return lengths
