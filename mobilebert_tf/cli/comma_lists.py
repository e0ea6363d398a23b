"""Options that take several values, separated by commas."""

from mobilebert_tf.errors import InputError


def names(text: str | None, option: str) -> tuple[str, ...] | None:
    """Return the names without the spaces around them; None for an option that is not given.

    >>> names("int8, float32,", "--recipes")
    ('int8', 'float32')

    Raises:
      InputError: if there is no name, with the name of the option.
    """
    if text is None:
        return None
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    if not found:
        raise InputError(f"{option} is empty: give it a value, or leave it out")
    return found


def numbers(text: str | None, option: str) -> tuple[int, ...] | None:
    """Return the whole numbers; None for an option that is not given.

    Raises:
      InputError: for anything else and for no number, with the name of the option.
    """
    found = names(text, option)
    try:
        return found and tuple(map(int, found))
    except ValueError:
        raise InputError(f"{option} should be whole numbers separated by commas, such as 64,128. "
                         f"Received: {text}") from None
