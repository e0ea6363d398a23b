"""Checks of what users give: lists and not one text, whole numbers, paths."""

import dataclasses
import os
import re
import sys
import typing
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import msgspec

from mobilebert_tf.errors import InputError

# Of a row that people ask for: [CLS], and a token and [SEP] of each of two texts.
LEAST_LENGTH = 5
MOST_SEED = 2**32 - 1  # NumPy takes no more.
# Far above every processor. Kernels that take all threads of a system leave none to the tokenizer,
# which crashes then.
_MOST_THREADS = 1024
_EXPECTED = re.compile(r"Expected `(.*)`, got `.*`")
_IN_WORDS = {"int": "a whole number", "float": "a number", "str": "a text",
             "bool": "True or False", "null": "None"}


def check_several(**given: Sequence) -> None:
    """Raise InputError for a single text or path, which would be read letter by letter.

    What is nothing to iterate over, such as a number, is refused too.

    Args:
      given: by the name of the argument.
    """
    for name, value in given.items():
        if isinstance(value, str | os.PathLike):
            raise InputError(f"{name} is one {'text' if isinstance(value, str) else 'path'}; give "
                             f"a list, such as [{os.fspath(value)[:40]!r}]")
        if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
            raise InputError(f"{name} should be a list. Received: {_shown(value)}")


def check_some(**given: Sequence) -> None:
    """Raise InputError as `check_several` does, and for an empty list or a generator.

    Args:
      given: by the name of the argument.
    """
    check_several(**given)
    for name, value in given.items():
        if not hasattr(value, "__len__"):
            raise InputError(f"{name} should be a list. Received: {_shown(value)}")
        if not len(value):
            raise InputError(f"{name} is empty: give at least one")


def check_paths(**given: Sequence[str | os.PathLike]) -> None:
    """Raise InputError for what is no list of paths, and for an empty one.

    Args:
      given: by the name of the argument.
    """
    check_some(**given)
    for name, value in given.items():
        for number, path in enumerate(value):
            check_path(**{f"{name}[{number}]": path})


def check_text(name: str, text: str) -> None:
    """Raise InputError for what is no text; `name` is that of the argument."""
    if not isinstance(text, str):
        raise InputError(f"{name} should be a text. Received: {_shown(text)}")


def check_texts(name: str, texts: Sequence[str | None], with_none: bool = False) -> None:
    """Raise InputError for what is no list of texts.

    Args:
      name: of the argument.
      texts: its value. What can be read once alone, such as a generator, is refused too.
      with_none: whether None may stand for a text.
    """
    if isinstance(texts, str | os.PathLike):
        check_several(**{name: texts})
    if isinstance(texts, bytes | Mapping) or not (
            hasattr(texts, "__len__") and hasattr(texts, "__getitem__")):
        raise InputError(f"{name} should be a list of texts. Received: {_shown(texts)}")
    for number, text in enumerate(texts):
        if text is not None or not with_none:
            check_text(f"{name}[{number}]", text)


def check_count(**given: int) -> None:
    """Raise InputError for what is no whole number from 1. True is none.

    Args:
      given: by the name of the argument.
    """
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise InputError(f"{name} should be a whole number, 1 or more. "
                             f"Received: {_shown(value)}")


def check_threads(threads: int) -> None:
    """Raise InputError for a number of threads that no processor has."""
    check_count(threads=threads)
    if threads > _MOST_THREADS:
        raise InputError(f"the threads of a file should be 1 to {_MOST_THREADS:,}. "
                         f"Received: {threads:,}")


def is_number(value: float, least: float = 0, most: float = sys.float_info.max) -> bool:
    """Return whether a value is a number in this range; NaN, True and False are none."""
    return not isinstance(value, bool) and isinstance(value, Real) and least <= value <= most


def check_length(length: int | None) -> None:
    """Raise InputError for rows that are too short for a token of each of two texts."""
    if length is not None and (not isinstance(length, Integral) or length < LEAST_LENGTH):
        raise InputError(f"the length should be a whole number, at least {LEAST_LENGTH}, for a "
                         f"token of each of two texts. Received: {_shown(length)}")


def check_lengths(lengths: Sequence[int], name: str = "lengths") -> None:
    """Raise InputError for what is no list of whole numbers, and for an empty one.

    What can be read once alone, such as a generator, is refused too.

    Args:
      lengths: to check.
      name: of the argument, for the message.
    """
    if isinstance(lengths, str | bytes | Mapping) or not hasattr(lengths, "__len__") or any(
            isinstance(length, bool) or not isinstance(length, Integral) for length in lengths):
        raise InputError(f"{name} should be a list of whole numbers, such as [64, 128]. "
                         f"Received: {_shown(lengths)}")
    check_some(**{name: lengths})


def check_types(settings: Any) -> None:
    """Raise InputError if a field of a dataclass has a value of another type than its annotation.

    A whole number will do where a number is asked for. The options of a `Literal` are not compared.
    """
    kinds = typing.get_type_hints(type(settings))
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        try:
            # NumPy's float64 is a float.
            msgspec.convert(float(value) if isinstance(value, float) else value,
                            kinds[field.name])
        except msgspec.ValidationError as error:
            if expected := _EXPECTED.fullmatch(str(error)):
                words = " or ".join(_IN_WORDS.get(one, one) for one in expected[1].split(" | "))
                raise InputError(f"{field.name} should be {words}. "
                                 f"Received: {_shown(value)}") from error


def check_path(**given: str | os.PathLike) -> None:
    """Raise InputError for what is no path, such as a Keras model.

    Args:
      given: by the name of the argument.
    """
    for name, value in given.items():
        if not isinstance(value, str | os.PathLike):
            raise InputError(f"{name} should be a path. Received: {_shown(value)}")


def _shown(value):
    """A simple value as Python writes it, and of others the class."""
    if value is None or isinstance(value, str | bytes | int | float | list | tuple):
        return f"{value!r:.60}"
    return f"a {type(value).__name__}"
