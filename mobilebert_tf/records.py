"""Records: JSON that others wrote, parsed once into typed records.

The files that describe models, corpora and jobs are read through here; those with texts and labels
are read by data/datasets. A wrong type, a wrong range, deep nesting or half a surrogate
pair gives one sentence that names the file and the field. No TensorFlow here.
"""

import dataclasses
import functools
import os
import re
import typing
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from mobilebert_tf.errors import InputError

Record = TypeVar("Record")

# Far above every JSON file of a model or a corpus: a corpus of 100,000 shards has 10 MB.
_MOST_BYTES = 1 << 28
_SHOWN, _LISTED = 60, 10
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_PLACE = re.compile(r"(.*) - at `(?:key in )?\$\.?(.*)`", re.DOTALL)
_MALFORMED = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)")

# Sizes of a model. The bound only keeps products of sizes small; a file's sizes are compared with
# its tensors.
Size = Annotated[int, msgspec.Meta(ge=1, le=1 << 31)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Blocks = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Rate = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Epsilon = Annotated[float, msgspec.Meta(gt=0, le=1)]
LONGEST_LABEL = 10_000
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
# One line: labels.txt has a label a line.
_ONE_LINE, _NAME = r"^[^\r\n]+\Z", r"^[^/\\\0]+\Z"
Label = Annotated[str, msgspec.Meta(max_length=LONGEST_LABEL, pattern=_ONE_LINE)]
FileName = Annotated[str, msgspec.Meta(max_length=255, pattern=_NAME)]
_IN_WORDS = {_ONE_LINE: "expected a text of one line", _NAME: "expected the name of a file"}


def quoted(text: str) -> str:
    """Return a text as messages show it: in quotes, and at most 60 characters of it."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def some(names: Sequence[str]) -> str:
    """Return names as messages list them: at most ten, and how many more there are."""
    more = len(names) - _LISTED
    return ", ".join([*names[:_LISTED], *([f"and {more:,} more"] if more > 0 else [])])


def read(path: str | os.PathLike, kind: type[Record]) -> Record:
    """Read a JSON file as a record.

    Args:
      path: of the file, in UTF-8.
      kind: a `msgspec.Struct`, a dataclass, or another type that msgspec decodes. A dataclass
        takes no other fields than its own.
    Raises:
      InputError: when the file cannot be read or is not JSON, or when a value has not the
        record's type or range, with the name of its field.
    """
    try:
        if os.path.getsize(path) > _MOST_BYTES:
            raise InputError(f"{path} is larger than {_MOST_BYTES >> 20} MB, which is too large "
                             "for a JSON file of this project")
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    return decode(content, kind, path)


def decode(content: bytes, kind: type[Record], name: str | os.PathLike) -> Record:
    """Parse JSON as a record, as `read` does; error messages call the source `name`."""
    try:
        return _checked(msgspec.json.Decoder(_strict(kind)).decode(content), kind, name)
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply") from error
    except msgspec.ValidationError as error:
        raise InputError(_sentence(name, str(error))) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{name} is not JSON: {_reason(content, error)}") from error


def convert(values: Any, kind: type[Record], name: str | os.PathLike) -> Record:
    """Turn parsed JSON into a record, as `read` does; error messages call the source `name`."""
    try:
        return _checked(msgspec.convert(values, _strict(kind)), kind, name)
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply") from error
    except msgspec.ValidationError as error:
        raise InputError(_sentence(name, str(error))) from error


def check_characters(place: str, key: str, value: str) -> None:
    r"""Raise InputError if a string of a JSON file holds half a surrogate pair, such as "\ud83d".

    Such a string cannot be written as UTF-8.
    """
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: {key!r} holds half a surrogate pair, {value[error.start]!r}, "
                         "which is no character; correct or remove it") from error


def check_labels(labels: Sequence[str]) -> None:
    """Raise InputError for labels that the files of a model could not give back, each by its name.

    These are equal ones, and one that is no `Label` or holds half a surrogate pair.
    """
    for label, count in Counter(labels).items():
        try:
            msgspec.convert(label, Label).encode()
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise InputError(f"the label {quoted(str(label))} is not a text of one line, with 1 to "
                             f"{LONGEST_LABEL:,} characters: give the class another name"
                             ) from error
        if count > 1:
            raise InputError(f"the label {quoted(label)} is given {count} times: give each class a "
                             "name of its own")


@functools.cache
def _strict(kind):
    """Return the type to decode: for a dataclass, or a list of one, a struct of its fields."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (list, tuple) and dataclasses.is_dataclass(arguments[0]):
        return list[_strict(arguments[0])]
    if not dataclasses.is_dataclass(kind):
        return kind
    hints = typing.get_type_hints(kind, include_extras=True)
    return msgspec.defstruct(
        kind.__name__, [_field(field, hints[field.name]) for field in dataclasses.fields(kind)],
        kw_only=True, forbid_unknown_fields=True)


def _field(field, hint):
    if field.default is not dataclasses.MISSING:
        return field.name, hint, field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.name, hint, msgspec.field(default_factory=field.default_factory)
    return field.name, hint


def _checked(found, kind, name):
    """Make the dataclass of a decoded struct, which runs the dataclass's own checks."""
    if isinstance(found, list) and typing.get_origin(kind) in (list, tuple):
        return [_checked(one, typing.get_args(kind)[0], name) for one in found]
    if not dataclasses.is_dataclass(kind):
        return found
    try:
        return kind(**msgspec.structs.asdict(found))
    except ValueError as error:
        raise InputError(f"{name}: {error}") from error


def _sentence(name, message):
    matched = _PLACE.fullmatch(message)
    message, place = matched.groups() if matched else (message, "")
    message = next((words for pattern, words in _IN_WORDS.items() if repr(pattern) in message),
                   message.replace("`", ""))
    message = message[:1].lower() + message[1:]
    return f"{name}, {place}: {message}" if place else f"{name}: {message}"


def _reason(content, error):
    """Return what is wrong; msgspec does not recognize half a surrogate pair."""
    awaited = False
    for match in _ESCAPE.finditer(content):
        code = int(match[1], 16) if match[1] else 0
        is_low = 0xDC00 <= code < 0xE000
        if is_low != awaited:
            break
        awaited = 0xD800 <= code < 0xDC00
    else:
        if not awaited:
            return _malformed(content, str(error))
    return f"it holds half a surrogate pair, which is no character (byte {match.start()})"


def _malformed(content, message):
    """Return msgspec's message, with the line of a byte that is not in the first."""
    matched = _MALFORMED.fullmatch(message)
    line = 1 + content.count(b"\n", 0, int(matched[2])) if matched else 1
    return message if line == 1 else f"{matched[1]} in line {line}"
