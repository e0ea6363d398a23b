"""Checks of what users give: a list and not one text, a number of answers, a length of rows."""

import os
from collections.abc import Sequence

from mobilebert_tf.errors import InputError

# [CLS], and a token and [SEP] of each of two texts.
_LEAST_LENGTH = 5


def check_several(**given: Sequence) -> None:
    """Raise InputError for a single text or path, which would be read letter by letter.

    Args:
      given: by the name of the argument.
    """
    for name, value in given.items():
        if isinstance(value, str | os.PathLike):
            raise InputError(f"{name} is one {'text' if isinstance(value, str) else 'path'}; give "
                             f"a list, such as [{os.fspath(value)[:40]!r}]")


def check_top_k(top_k: int) -> None:
    """Raise InputError for a number of answers below 1."""
    if top_k < 1:
        raise InputError(f"top_k should be 1 or more. Received: {top_k}")


def check_length(length: int | None) -> None:
    """Raise InputError for rows that are too short for a token of each of two texts."""
    if length is not None and length < _LEAST_LENGTH:
        raise InputError(f"the length should be at least {_LEAST_LENGTH}, for a token of each of "
                         f"two texts. Received: {length}")
