"""Several texts: a list, and not one text."""

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
