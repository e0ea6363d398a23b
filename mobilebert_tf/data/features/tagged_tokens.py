"""Tagged words as a model's tokens, and its outputs as tags of words again."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.tokenizer import Tokenizer

# Positions without a label; loss and scores leave them out.
NO_LABEL = -1
NO_WORD = -1


@dataclasses.dataclass(frozen=True)
class TokenWindow:
    """[CLS] pieces [SEP] of a sentence's words, or of some of them, without padding.

    A word's label and prediction are at its first piece, as in Devlin et al. 2019
    (arXiv:1810.04805), section 5.3.

    Args:
      ids: ids of the pieces.
      labels: the word's class at the first piece of each word, -1 at every other piece; -1
        throughout if the tags are unknown.
      words: the word's index in the sentence at the first piece of each word, -1 elsewhere.
    """

    ids: tuple[int, ...]
    labels: tuple[int, ...]
    words: tuple[int, ...]


def windows(words: Sequence[str], tokenizer: Tokenizer, *, length: int,
            tags: Sequence[str] | None = None,
            labels: Sequence[str] | None = None) -> list[TokenWindow]:
    """Return the windows of a sentence: one, unless it is longer than `length`.

    A longer sentence is cut between words into consecutive windows, each filled with as many words
    as fit. Every word is in one window. A word that is too long alone keeps the pieces that fit.
    A word without pieces (a zero-width character) is in no window. There is always a window, even
    if it has only [CLS] and [SEP].

    Args:
      words: the words of one sentence.
      tokenizer: the model's.
      length: most tokens of a window, with [CLS] and [SEP].
      tags: the tag of each word, if known.
      labels: the classes in the order of their ids; needed with tags.
    Raises:
      InputError: if the length has no room for a word, or a tag is not among the labels.
      ValueError: if there are more or fewer tags than words.
    """
    if length < 3:
        raise InputError(f"a length of {length} is too small: [CLS], a word and [SEP] take 3")
    classes = [NO_LABEL] * len(words) if tags is None else _classes(tags, labels)
    room = length - 2
    filled = [[]]  # (ids, class, index) of each word of each window
    used = 0
    pieces = tokenizer.encode_texts(words)
    for index, (ids, label) in enumerate(zip(pieces, classes, strict=True)):
        ids = ids[:room]
        if used + len(ids) > room:
            filled.append([])
            used = 0
        if ids:
            filled[-1].append((ids, label, index))
            used += len(ids)
    vocabulary = tokenizer.vocabulary
    return [_window(content, vocabulary.cls_id, vocabulary.sep_id) for content in filled]


def by_word(windows: Sequence[TokenWindow], values: Sequence[Sequence[Any]], count: int,
            missing: Any) -> list[Any]:
    """Return a model's output at the first piece of each word of a sentence.

    Args:
      windows: all windows of the sentence.
      values: a row for each window with an entry for each token; padding is ignored.
      count: number of words of the sentence.
      missing: the value for a word that is in no window.
    Returns:
      list of `count` values.
    Raises:
      ValueError: if there are more or fewer rows than windows, or a row is shorter than its window.
    """
    found = [missing] * count
    for window, row in zip(windows, values, strict=True):
        if len(row) < len(window.words):
            raise ValueError(f"A row should have a value for each of the window's "
                             f"{len(window.words)} tokens. Received: {len(row)}")
        for word, value in zip(window.words, row, strict=False):
            if word != NO_WORD:
                found[word] = value
    return found


def word_tags(windows: Sequence[TokenWindow], class_ids: Sequence[Sequence[int]],
              labels: Sequence[str], count: int) -> list[str]:
    """Return the tag of each word of a sentence; O for words without pieces.

    Args:
      windows, count: as for `by_word`.
      class_ids: a row for each window with the class of each token.
      labels: the classes in the order of their ids; O is one of them.
    """
    found = by_word(windows, class_ids, count, labels.index("O"))
    return [labels[class_id] for class_id in found]


def _classes(tags, labels):
    ids = {label: index for index, label in enumerate(labels)}
    unknown = [tag for tag in tags if tag not in ids]
    if unknown:
        raise InputError(f"the tag {unknown[0]!r} is not one of {', '.join(labels)}")
    return [ids[tag] for tag in tags]


def _window(content, cls_id, sep_id):
    ids, labels, words = [cls_id], [NO_LABEL], [NO_WORD]
    for pieces, label, index in content:
        rest = len(pieces) - 1
        ids += pieces
        labels += [label] + [NO_LABEL] * rest
        words += [index] + [NO_WORD] * rest
    return TokenWindow((*ids, sep_id), (*labels, NO_LABEL), (*words, NO_WORD))
