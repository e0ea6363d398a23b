"""Sentences with a tag for each word: files of named entities or slots."""

import dataclasses
import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mobilebert_tf import records
from mobilebert_tf.data import lines
from mobilebert_tf.errors import InputError

# Begins a document in CoNLL-2003; it is no word.
_DOCUMENT_START = "-DOCSTART-"
_TAG = re.compile(r"O|[BI]-.+")
# Tags of other schemes too: a wrong tag is reported as such, and not taken for a word.
_TAG_OF_ANY_SCHEME = re.compile(r"O|[A-Z]-.+")


@dataclasses.dataclass(frozen=True)
class TaggedSentence:
    """Words and their tags in IOB2: B-type begins an entity, I-type continues it, O is outside."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


class _Word(NamedTuple):
    line: int
    text: str
    tag: str


def read(path: str | os.PathLike,
         labels: tuple[str, ...] | None = None) -> tuple[TaggedSentence, ...]:
    """Read a file with a word and its tag on each line and empty lines between sentences.

    Tabs or spaces separate columns. With two columns, the tag is the column that holds tags, so
    both `word tag` (CoNLL) and `tag word` (BIO files) can be read. With more, the first is the word
    and the last the tag, as in CoNLL-2003. -DOCSTART- lines are left out.

    The file may use IOB2, where every entity begins with B-, or IOB1, where an entity begins with
    B- only directly after another of its type (CoNLL-2003's own files). The whole file decides
    which; tags are returned in IOB2. A file that mixes the two is refused.

    Args:
      path: the file, UTF-8; it may be compressed (.gz).
      labels: the tags that the file may hold, from `find_labels` of the training files; None for
        any.
    Raises:
      InputError: with file and line, if the file cannot be read, is not UTF-8 or has no sentence; a
        line has another number of columns than the first; the columns are not a word and a tag; a
        tag is not O, B-type or I-type, or not in `labels`; or IOB1 and IOB2 are mixed.
    """
    rows = _rows(path)
    word, tag = _places(path, [columns for sentence in rows for _, columns in sentence])
    words = [[_Word(line, columns[word], columns[tag]) for line, columns in sentence]
             for sentence in rows]
    _check_tags(path, words)
    _check_scheme(path, words)
    words = [[one._replace(tag=_iob2(one.tag, previous))
              for one, previous in _with_previous(sentence)] for sentence in words]
    if labels is not None:
        _check_labels(path, words, labels)
    return tuple(TaggedSentence(tuple(one.text for one in sentence),
                                tuple(one.tag for one in sentence)) for sentence in words)


def find_labels(paths: Sequence[str | os.PathLike]) -> tuple[str, ...]:
    """Return the classes of the training files: O, then B- and I- of each type, types sorted.

    Each type has an I- class, even if all its entities in the files are single words.

    Raises:
      InputError: as for `read`; and if every word has the tag O.
    """
    types = sorted({tag[2:] for path in paths for sentence in read(path)
                    for tag in sentence.tags if tag != "O"})
    if not types:
        raise InputError(f"every word of {', '.join(map(str, paths))} has the tag O, so there is "
                         "nothing to learn; tag the words of entities with B-type and I-type")
    return ("O", *(f"{prefix}-{kind}" for kind in types for prefix in "BI"))


def is_tag(text: str) -> bool:
    """Whether a text is O, B-type or I-type."""
    return bool(_TAG.fullmatch(text))


def _rows(path) -> list[list[tuple[int, list[str]]]]:
    """Return (line, columns) of every word, by sentence."""
    sentences, first, new = [], None, True
    for number, line in lines.read(path):
        # Not str.split: other white space, such as U+00A0, may be part of a word.
        columns = re.split("[ \t]+", line.strip(" \t\r\n"))
        if columns == [""] or _DOCUMENT_START in columns:
            new = True
            continue
        if len(columns) == 1:
            raise InputError(f"{path}, line {number} has one column, "
                             f"{records.quoted(columns[0])}; it should have a word and its tag")
        first = first or (number, len(columns))
        if len(columns) != first[1]:
            raise InputError(f"{path}, line {number} has {len(columns)} columns, line {first[0]} "
                             f"has {first[1]}")
        if new:
            sentences.append([])
        sentences[-1].append((number, columns))
        new = False
    if not sentences:
        raise InputError(f"{path} has no sentences; it should have a word and its tag on a line")
    return sentences


def _places(path, rows) -> tuple[int, int]:
    """Return the column of the word and that of the tag."""
    if len(rows[0]) > 2:
        return 0, len(rows[0]) - 1
    tags = [sum(bool(_TAG_OF_ANY_SCHEME.fullmatch(row[place])) for row in rows)
            for place in (0, 1)]
    if tags[0] == tags[1] and tags[0]:
        raise InputError(f"{path}: both columns hold O, B-type or I-type equally often; put a "
                         "third column between word and tag")
    if max(tags) * 2 <= len(rows):
        raise InputError(f"{path}: no column holds tags; tags are O, B-type and I-type")
    return (0, 1) if tags[1] > tags[0] else (1, 0)


def _check_tags(path, sentences):
    for sentence in sentences:
        for word in sentence:
            if not is_tag(word.tag):
                raise InputError(
                    f"{path}, line {word.line}: {word.text!r} has the tag {word.tag!r}; tags are "
                    "O, B-type and I-type; write the E- and S- of other schemes as I- and B-")


def _check_scheme(path, sentences):
    """Refuse a file with entities that begin with I- and others that begin with B- needlessly."""
    begins = [word for sentence in sentences for word, previous in _with_previous(sentence)
              if word.tag != "O" and not _is_same_type(word.tag, previous)]
    kinds = [[word for word in begins if word.tag[0] == prefix] for prefix in "IB"]
    if all(kinds):
        (wrong, *_), (usual, *_) = sorted(kinds, key=len)
        raise InputError(
            f"{path}, line {wrong.line}: {wrong.text!r} begins an entity with {wrong.tag}, and on "
            f"line {usual.line} {usual.text!r} begins one with {usual.tag}; begin all with B-")


def _check_labels(path, sentences, labels):
    for sentence in sentences:
        for word in sentence:
            if word.tag not in labels:
                raise InputError(f"{path}, line {word.line}: {word.text!r} has the tag {word.tag}, "
                                 f"which is not one of {records.some(labels)}")


def _with_previous(sentence) -> Iterator[tuple[_Word, str]]:
    """Pair every word with the tag of the word before it."""
    return zip(sentence, ["O", *(word.tag for word in sentence)], strict=False)


def _is_same_type(tag, previous):
    return previous != "O" and previous[2:] == tag[2:]


def _iob2(tag, previous):
    """Convert a tag of either scheme to IOB2; `previous` is the tag before it in the file."""
    begins = tag[0] == "I" and not _is_same_type(tag, previous)
    return f"B-{tag[2:]}" if begins else tag
