"""Lists on the command line, with commas between their entries."""

from mobilebert_tf.errors import InputError


def numbers(text: str | None, option: str) -> tuple[int, ...] | None:
    """Return the whole numbers in "64,128"; None for None.

    Raises:
      InputError: for anything else; it names the option.
    """
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"{option} takes numbers with commas between them. Received: "
                         f"{text!r}") from error


def names(text: str | None) -> tuple[str, ...] | None:
    """Return the names in "float32,int8", each once; None for None."""
    return None if text is None else tuple(dict.fromkeys(text.split(",")))
