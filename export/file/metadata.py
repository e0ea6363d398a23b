"""Metadata: what a file carries besides its graph, so that it can be used alone.

It is a zip archive at the end of the flatbuffer, by LiteRT's convention: `unzip -l model.tflite`
lists it, and runtimes ignore it. It holds model.json, vocab.txt and labels.txt without compression,
because the phone libraries read nothing else. model.json has the SHA-256 of the flatbuffer and of
the words. `client_metadata` describes the archive to the phone libraries.
"""

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from typing import Annotated, Any

import msgspec

from mobilebert_tf import __version__, kinds, model_directory, reasons, records
from mobilebert_tf.checks import check_path
from mobilebert_tf.config import EncoderConfig
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.file import client_metadata
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.text.vocabulary import Vocabulary

_MODEL, _VOCABULARY, _LABELS = "model.json", "vocab.txt", "labels.txt"
# A fixed date, the oldest that a zip can hold: equal models are equal files.
_DATE = (1980, 1, 1, 0, 0, 0)
# Where a flatbuffer says what it is.
_IDENTIFIER = slice(4, 8)
# Far above every file: the offsets of a flatbuffer end at 2 GB.
_MOST_BYTES = 1 << 32


@dataclasses.dataclass(frozen=True, kw_only=True)
class Metadata:
    """What is needed to use a file.

    Args:
      kind: of the model, with its labels and settings.
      recipe: name of the recipe it was made by.
      lengths: tokens of its inputs, ascending; a signature for each.
      config: the encoder's.
      runtime: the oldest runtime that runs it.
      num_classes: of a kind with labels; None for the others.
      vocabulary: the `Vocabulary`, or None where it was exported without.
      lower_case: whether its texts are lower-cased.
      pairs: whether the model was made for pairs of texts; None if that is not known.
      version: of the project that wrote it.

    Raises:
      InputError: for a vocabulary of another size than the word table, another number of labels
        than classes, and labels that could not be read back.
    """

    kind: Kind
    recipe: str
    lengths: tuple[int, ...]
    config: EncoderConfig
    runtime: str
    num_classes: int | None = None
    vocabulary: Vocabulary | None = None
    lower_case: bool = True
    pairs: bool | None = None
    version: str = __version__

    def __post_init__(self):
        if self.vocabulary is not None:
            model_directory.check_vocabulary(self.vocabulary, self.config)
        if self.labels is None:
            return
        if self.num_classes is None:
            raise InputError(f"a model for {self.kind.name} has no classes that labels could name")
        if len(self.labels) != self.num_classes:
            raise InputError(f"{len(self.labels)} labels do not name {self.num_classes} classes")
        records.check_labels(self.labels)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """A name for each class; None if the file names none."""
        return self.kind.labels

    @property
    def length(self) -> int:
        """The most tokens that the file takes."""
        return self.lengths[-1]

    def length_for(self, tokens: int) -> int:
        """Return the shortest length for a row of so many tokens; the longest if none is enough.

        One position is left for padding: with trigram input the last token's state depends on
        whether any follows.
        """
        return next((length for length in self.lengths if length > tokens), self.length)

    def signature(self, length: int) -> str:
        """Return the name of the signature for one of the lengths."""
        return "serving_default" if len(self.lengths) == 1 else f"length_{length}"


def attach(model: bytes, metadata: Metadata) -> bytes:
    """Return the file's content: the flatbuffer with the clients' table, then the archive.

    This is the last step of an export: whatever rewrites a flatbuffer drops the archive.

    Args:
      model: a flatbuffer without an archive; a clients' table in it is replaced.
    """
    graph = client_metadata.insert(model, metadata)
    file = io.BytesIO(graph)
    with zipfile.ZipFile(file, "a", zipfile.ZIP_STORED) as archive:
        for name, text in _members(metadata, graph):
            archive.writestr(zipfile.ZipInfo(name, _DATE), text.encode())
    return file.getvalue()


def read(file: str | os.PathLike | bytes) -> Metadata:
    """Read the metadata of a file that this project exported.

    The graph and the words are compared with their checksum, so that a damaged byte is found when
    the file is opened, and not by wrong answers.

    Args:
      file: its path, or its content.
    Raises:
      InputError: when there is no such file, it is not a .tflite file, is damaged, or holds no
        model.json of ours.
    """
    name = "the model" if isinstance(file, bytes) else str(file)
    content = file if isinstance(file, bytes) else _content(file)
    if content[_IDENTIFIER] != b"TFL3":
        raise InputError(f"{name} is not a .tflite file")
    graph_size, texts = _archive(content)
    if _MODEL not in texts:
        raise InputError(f"{name} was not exported by mobilebert, or is not whole: it holds no "
                         f"{_MODEL}")
    try:
        description = records.decode(texts[_MODEL], _Description, f"{_MODEL} in {name}")
    except InputError as error:
        raise InputError(f"{error}; export the model again with this version of mobilebert, "
                         f"{__version__}") from error
    if description.sha256 != _digest(memoryview(content)[:graph_size], texts):
        raise InputError(f"{name} is damaged: it is not the file that its {_MODEL} describes; get "
                         "it again")
    return _metadata(name, description, texts)


def _content(file):
    """The content of a .tflite file; only the first bytes of another one, which may be endless."""
    check_path(file=file)
    try:
        with open(file, "rb") as stream:
            start = stream.read(_IDENTIFIER.stop)
            if start[_IDENTIFIER] != b"TFL3":
                return start
            if os.fstat(stream.fileno()).st_size > _MOST_BYTES:
                raise InputError(f"{file} is larger than {_MOST_BYTES >> 30} GB, which no .tflite "
                                 "file is")
            stream.seek(0)
            return stream.read()
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError is for names that no file can have
        raise InputError(f"cannot read {file}: {reasons.reason(error)}") from error


def _archive(content):
    """The place where the archive starts, and our members; no members in another program's file."""
    # zlib's and struct's errors are those of damaged archives.
    with contextlib.suppress(zipfile.BadZipFile, zlib.error, struct.error, ValueError, LookupError,
                             EOFError, NotImplementedError, RuntimeError), \
            zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if all(member.compress_type == zipfile.ZIP_STORED for member in members):
            return (min((member.header_offset for member in members), default=len(content)),
                    {member.filename: archive.read(member) for member in members
                     if member.filename in (_MODEL, _VOCABULARY, _LABELS)})
    return len(content), {}


def word_files(metadata: Metadata) -> dict[str, str]:
    """Return the content of vocab.txt and labels.txt by name, if the file has them."""
    lines = {_VOCABULARY: metadata.vocabulary and metadata.vocabulary.pieces,
             _LABELS: metadata.labels}
    return {name: "".join(f"{line}\n" for line in words)
            for name, words in lines.items() if words is not None}


class _Description(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """model.json of a file: `Metadata` without the words, and the checksum of graph and words."""

    kind: records.Text
    recipe: records.Text
    lengths: Annotated[list[Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]],
                       msgspec.Meta(min_length=1)]
    config: dict
    runtime: records.Text
    num_classes: records.Size | None
    lower_case: bool
    pairs: bool | None = None  # older files do not say
    settings: Any
    version: records.Text
    sha256: str


def _members(metadata, graph):
    kind = metadata.kind
    values = {"kind": kind.name, "settings": kind.settings and kind.settings.to_json(),
              **{field.name: getattr(metadata, field.name)
                 for field in dataclasses.fields(metadata)
                 if field.name not in ("vocabulary", "kind")},
              "config": metadata.config.to_dict()}
    words = word_files(metadata)
    values["sha256"] = _digest(graph, {name: text.encode() for name, text in words.items()})
    yield _MODEL, json.dumps(values, indent=2) + "\n"
    yield from words.items()


def _digest(graph, members):
    """The SHA-256 of the graph followed by each file of words."""
    digest = hashlib.sha256(graph)
    for name in (_VOCABULARY, _LABELS):
        if name in members:
            digest.update(name.encode() + members[name])
    return digest.hexdigest()


def _metadata(name, description, texts):
    values = msgspec.structs.asdict(description)
    del values["sha256"]
    values["config"] = records.convert(description.config, EncoderConfig,
                                       f"{_MODEL} in {name}, config")
    values["lengths"] = tuple(description.lengths)
    if list(description.lengths) != sorted(set(description.lengths)):
        raise InputError(f"{_MODEL} in {name}, lengths: expected ascending numbers")
    words = {member: _lines(texts[member], f"{member} in {name}")
             for member in (_VOCABULARY, _LABELS) if member in texts}
    if _VOCABULARY in words:
        values["vocabulary"] = Vocabulary(words[_VOCABULARY], f"{_VOCABULARY} in {name}")
    values["kind"] = kinds.described(values["kind"], words.get(_LABELS), values.pop("settings"),
                                     f"{_MODEL} in {name}")
    try:
        return Metadata(**values)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def _lines(content, name):
    try:
        return content.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8") from error
