"""Answers in a file that another program wrote."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from mobilebert_tf import records
from mobilebert_tf.data import lines
from mobilebert_tf.data.datasets import rows
from mobilebert_tf.errors import InputError

_INDEX, _PREDICTION = "index", "prediction"


def read_json(path: str | os.PathLike, kind: Any, layout: str) -> Any:
    """Read the content of a JSON file.

    Args:
      path: the file, in UTF-8.
      kind: the type of the content, as `records.decode` takes it.
      layout: the type in words, for messages.
    Raises:
      InputError: if the file cannot be read or is too large (see `lines.whole`), is not JSON or
        holds something else.
    """
    content = lines.whole(path).encode()
    try:
        return records.decode(content, kind, path)
    except InputError as error:
        raise InputError(f"{error}; the file should hold {layout} in JSON") from error


def read_list(path: str | os.PathLike, kind: Any, layout: str, examples: Sequence) -> list:
    """Read a JSON list with an answer for each example, in their order; None where it has null.

    Args:
      path, layout: as for `read_json`; `layout` describes one answer.
      kind: the type of an answer.
      examples: the examples that are answered.
    Raises:
      InputError: as for `read_json`; and if there are more or fewer answers than examples.
    """
    found = read_json(path, list[kind | None], f"a list with {layout}, or null, for each example")
    _check_count(path, found, examples)
    return found


def read_table(path: str | os.PathLike, examples: Sequence) -> list[str]:
    """Read a TSV file with an answer for each example, as GLUE's site takes it.

    Args:
      path: the file. Its header line is index, tab, prediction; indices count from 0, in any order.
      examples: the examples that are answered.
    Raises:
      InputError: if the file cannot be read (see `rows.read_tsv`) or the indices are not those of
        the examples.
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
    """Whether a file is for `read_table`: whether its name ends in .tsv or .tsv.gz."""
    return lines.suffix(path) == ".tsv"


def converted(path: str | os.PathLike, written: Sequence, convert: Callable) -> list:
    """Convert the answers of a file; None stays None.

    Args:
      path: the file, for messages.
      written: the answers, as `read_list` and `read_table` return them.
      convert: turns one into an answer. It raises ValueError with a message that ends a
        sentence which begins with the answer, such as "is not a number".
    Raises:
      InputError: with the answer's number, counted from 0, if it cannot be converted.
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
