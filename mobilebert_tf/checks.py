"""Checks of what users give: a list and not one text, and a number of answers."""

import os
from collections.abc import Sequence

from mobilebert_tf.errors import InputError


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
