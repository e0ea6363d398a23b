"""Metadata: what a file carries beside its graph, so that it can be used alone.

A zip archive at the end of the flatbuffer, as LiteRT's metadata convention has it: `unzip -l
model.tflite` lists it, and runtimes read past it. It holds model.json, vocab.txt and labels.txt,
stored and not compressed, since the phone libraries read no other. What those libraries know of
the archive stands in the flatbuffer: `client_metadata`.
"""

import contextlib
import dataclasses
import io
import json
import os
import zipfile

from .. import __version__
from ..config import EncoderConfig
from ..data.question_settings import QuestionSettings
from ..errors import InputError
from ..text.vocabulary import Vocabulary
from . import client_metadata

_MODEL, _VOCABULARY, _LABELS = "model.json", "vocab.txt", "labels.txt"
# A fixed date, the oldest that a zip can hold: equal models are equal files.
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Metadata:
    """What `predict` and others need to know of a file.

    Args:
      task: classification, regression, tagging, question_answering, fill_mask, encoding
        or embedding.
      recipe: name of the recipe it was made by.
      lengths: tokens of its inputs, ascending; a signature for each.
      config: the encoder's.
      runtime: the oldest runtime that runs it.
      num_classes: of classification and tagging; None for other tasks.
      vocabulary: the `Vocabulary`, or None where it was exported without.
      labels: a name for each class, or None.
      lower_case: whether its texts are lower-cased.
      question_answering: the settings that a model for questions answers by; None for the defaults.
      version: of the project that wrote it.

    Raises:
      InputError: for a vocabulary that is not as long as the word table, labels that are not as
        many as the classes or could not be read back.
    """

    task: str
    recipe: str
    lengths: tuple[int, ...]
    config: EncoderConfig
    runtime: str
    num_classes: int | None = None
    vocabulary: Vocabulary | None = None
    labels: tuple[str, ...] | None = None
    lower_case: bool = True
    question_answering: QuestionSettings | None = None
    version: str = __version__

    def __post_init__(self):
        if self.vocabulary is not None and len(self.vocabulary) != self.config.vocab_size:
            name = self.vocabulary.path or "the vocabulary"
            raise InputError(f"{name} has {len(self.vocabulary)} pieces, but the model has "
                             f"{self.config.vocab_size}: it is another model's")
        if self.labels is None:
            return
        if self.num_classes is None:
            raise InputError(f"a model for {self.task} has no classes that labels could name")
        if len(self.labels) != self.num_classes:
            raise InputError(f"{len(self.labels)} labels do not name {self.num_classes} classes")
        for label in self.labels:
            if not label or "\n" in label or "\r" in label:
                raise InputError(f"the label {label!r} is empty or has a line break in it")

    @property
    def length(self) -> int:
        """The most tokens that the file takes."""
        return self.lengths[-1]

    def length_for(self, tokens: int) -> int:
        """The shortest length for a sequence of so many tokens; the longest where none is enough.

        One position is left for padding, since with trigram input the last token's state depends
        on whether any follows.
        """
        return next((length for length in self.lengths if length > tokens), self.length)

    def signature(self, length: int) -> str:
        """The name of the signature for one of the lengths."""
        return "serving_default" if len(self.lengths) == 1 else f"length_{length}"


def attach(model: bytes, metadata: Metadata) -> bytes:
    """Returns the file's content: the flatbuffer, with the table that clients read, and the
    archive behind it. Done last: whatever rewrites a flatbuffer drops what is behind it.

    Args:
      model: a flatbuffer without an archive; a table that it has is replaced.
    """
    file = io.BytesIO(client_metadata.insert(model, metadata))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_STORED) as archive:
        for name, text in _members(metadata):
            archive.writestr(zipfile.ZipInfo(name, _DATE), text.encode())
    return file.getvalue()


def read(file: str | os.PathLike | bytes) -> Metadata:
    """Reads the metadata of a file that this project exported.

    Args:
      file: its path, or its content.
    Raises:
      InputError: when there is no such file, it is not a .tflite file, or holds no model.json of
        ours.
    """
    name = "the model" if isinstance(file, bytes) else str(file)
    texts = {}
    try:
        with (io.BytesIO(file) if isinstance(file, bytes) else open(file, "rb")) as stream:
            if stream.read(8)[4:] != b"TFL3":
                raise InputError(f"{name} is not a .tflite file")
            # A file without an archive is somebody else's, as is one with other members.
            with contextlib.suppress(zipfile.BadZipFile, UnicodeDecodeError), \
                    zipfile.ZipFile(stream) as archive:
                present = {_MODEL, _VOCABULARY, _LABELS} & set(archive.namelist())
                texts = {member: archive.read(member).decode() for member in present}
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from error
    if _MODEL not in texts:
        raise InputError(f"{name} was not exported by mobilebert (it holds no {_MODEL})")
    return _parse(name, texts)


def word_files(metadata: Metadata) -> dict[str, str]:
    """vocab.txt and labels.txt by these names, those that there are."""
    lines = {_VOCABULARY: metadata.vocabulary and metadata.vocabulary.pieces,
             _LABELS: metadata.labels}
    return {name: "".join(f"{line}\n" for line in words)
            for name, words in lines.items() if words is not None}


def _members(metadata):
    values = {field.name: getattr(metadata, field.name) for field in dataclasses.fields(metadata)
              if field.name not in ("vocabulary", "labels")}
    values["config"] = metadata.config.to_dict()
    yield _MODEL, json.dumps(values, indent=2, default=QuestionSettings.to_json) + "\n"
    yield from word_files(metadata).items()


def _parse(name, texts):
    try:
        values = json.loads(texts[_MODEL])
        values["config"] = EncoderConfig.from_dict(values["config"])
        values["lengths"] = tuple(values["lengths"])
        values["question_answering"] = QuestionSettings.of_description(values, name)
        values.pop("null_threshold", None)  # of the first versions
        if _VOCABULARY in texts:
            values["vocabulary"] = Vocabulary(
                texts[_VOCABULARY].removesuffix("\n").split("\n"), f"{_VOCABULARY} in {name}")
        if _LABELS in texts:
            values["labels"] = tuple(texts[_LABELS].removesuffix("\n").split("\n"))
        return Metadata(**values)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{name} was not exported by this version of mobilebert, {__version__}: "
                         f"its {_MODEL} cannot be used ({error})") from error
