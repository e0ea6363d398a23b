"""Answers that somebody else's program wrote into a file."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from mobilebert_tf.data.datasets import rows
from mobilebert_tf.errors import InputError

_INDEX, _PREDICTION = "index", "prediction"


def read_json(path: str | os.PathLike, kind: Any, layout: str) -> Any:
    """The content of a JSON file.

    Args:
      path: the file, in UTF-8.
      kind: the type that it should have, as msgspec takes it.
      layout: what messages call that.
    Raises:
      InputError: for a file that cannot be read, is not JSON or of another type.
    """
    try:
        return msgspec.json.decode(Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf"), type=kind)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path} should be {layout} in JSON: {error}") from error


def read_list(path: str | os.PathLike, kind: Any, layout: str, examples: Sequence) -> list:
    """One answer an example, in the examples' order, of a JSON file; None for a missing one.

    Args:
      path, layout: as `read_json` takes them.
      kind: the type of an answer.
      examples: that are answered.
    Raises:
      InputError: as `read_json` does; and for another number of answers than examples.
    """
    found = read_json(path, list[kind | None], f"a list of {layout}, or null, for each example")
    _check_count(path, found, examples)
    return found


def read_table(path: str | os.PathLike, examples: Sequence) -> list[str]:
    """One answer an example of a TSV file as GLUE's site takes them: index, tab, prediction.

    Args:
      path: the file, with a header line; indices count from 0, in any order.
      examples: that are answered.
    Raises:
      InputError: for a file that cannot be read (see `rows.read_tsv`), and indices that are not
        those of the examples.
    """
    found, expected = {}, set(map(str, range(len(examples))))
    for line, (index, prediction) in rows.read_tsv(path, (_INDEX, _PREDICTION)):
        if index in found or index not in expected:
            raise InputError(f"{path}, line {line}: the index {index!r} should be one of 0 to "
                             f"{len(examples) - 1}, and stand there once")
        found[index] = prediction
    _check_count(path, found, examples)
    return [found[str(index)] for index in range(len(examples))]


def is_table(path: str | os.PathLike) -> bool:
    """Whether a file is for `read_table`, by the end of its name."""
    return Path(path).suffix.lower() == ".tsv"


def converted(path: str | os.PathLike, written: Sequence, convert: Callable) -> list:
    """The answers that are there, converted; None for the others.

    Args:
      path: for messages.
      written: see `read_list`.
      convert: what is written -> answer; raises ValueError, whose message ends a sentence that
        begins with the answer.
    Raises:
      InputError: for an answer that cannot be converted, with its number, from 0.
    """
    found = []
    for number, one in enumerate(written):
        try:
            found.append(None if one is None else convert(one))
        except ValueError as error:
            raise InputError(f"{path}, answer {number}: {one!r} {error}") from error
    return found


def _check_count(path, found, examples):
    if len(found) != len(examples):
        raise InputError(f"{path} has {len(found):,} answers for {len(examples):,} examples; there "
                         "should be one for each, in their order")
