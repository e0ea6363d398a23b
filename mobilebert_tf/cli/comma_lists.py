"""Options that take several values, separated by commas."""

from mobilebert_tf.errors import InputError


def names(text: str | None) -> tuple[str, ...] | None:
    """Return the names without the spaces around them; None for an option that is not given.

    >>> names("int8, float32,")
    ('int8', 'float32')
    """
    if text is None:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())


def numbers(text: str | None, option: str) -> tuple[int, ...] | None:
    """Return the whole numbers; None for an option that is not given.

    Raises:
      InputError: for anything else, with the name of the option.
    """
    try:
        return None if text is None else tuple(map(int, names(text)))
    except ValueError:
        raise InputError(f"{option} should be whole numbers separated by commas, such as 64,128. "
                         f"Received: {text}") from None
