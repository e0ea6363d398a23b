"""Strings of users' JSON files."""

from mobilebert_tf.errors import InputError


def check(place: str, key: str, value: str) -> None:
    r"""InputError where a string holds half a surrogate pair, as JSON's "\ud83d" alone is.

    No file in UTF-8 can hold it, so that nothing could be written of what a model says of it.
    """
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: {key!r} holds half a surrogate pair, {value[error.start]!r}, "
                         "which is no character; correct or remove it") from error
