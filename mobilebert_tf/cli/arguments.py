"""Texts as arguments of commands."""

from collections.abc import Iterable

from mobilebert_tf.errors import InputError


def check_unicode(texts: Iterable[str]) -> None:
    """Raise InputError for an argument in another encoding than the terminal's."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"the text {text!r} is not valid Unicode: give it in the encoding of "
                             "the terminal, or in a file") from error
