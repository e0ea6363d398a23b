"""Checks of what users give for several texts: a list, and a number of answers."""

from collections.abc import Sequence

from mobilebert_tf.errors import InputError


def check_several(**texts: Sequence[str]) -> None:
    """Raise InputError for a single `str`, which would be read letter by letter.

    Args:
      texts: by the name of the argument.
    """
    for name, value in texts.items():
        if isinstance(value, str):
            raise InputError(f"{name} is one text; give a list of texts, such as [{value[:40]!r}]")


def check_top_k(top_k: int) -> None:
    """Raise InputError for a number of answers below 1."""
    if top_k < 1:
        raise InputError(f"top_k should be 1 or more. Received: {top_k}")
