"""Tagged words as word pieces that a model reads, and its answers as tags of words again."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.tokenizer import Tokenizer

# Where a model is asked for nothing: loss and scores leave these positions out.
NO_LABEL = -1
NO_WORD = -1


@dataclasses.dataclass(frozen=True)
class TokenWindow:
    """[CLS] pieces [SEP] of the words of a sentence, or of some of them, without padding.

    A word is asked for, and answered, at its first piece, as in Devlin et al. 2019
    (arXiv:1810.04805), section 5.3.

    Args:
      ids: ids of the pieces.
      labels: for each, the class of the word whose first piece it is; -1 for every other piece,
        and throughout where no tags are known.
      words: for each, the index in the sentence of the word whose first piece it is, else -1.
    """

    ids: tuple[int, ...]
    labels: tuple[int, ...]
    words: tuple[int, ...]


def windows(words: Sequence[str], tokenizer: Tokenizer, *, length: int,
            tags: Sequence[str] | None = None,
            labels: Sequence[str] | None = None) -> list[TokenWindow]:
    """The windows of a sentence: one, unless it is longer than `length`.

    A longer sentence is cut between words into windows that follow each other, each as full as
    words fill it; every word is in exactly one. A word that alone is longer keeps the pieces that
    fit. A word without pieces (a zero-width character) is in none. There always is a window, if
    only of [CLS] and [SEP].

    Args:
      words: of one sentence.
      tokenizer: the model's.
      length: most tokens of a window, [CLS] and [SEP] among them.
      tags: one a word, where they are known.
      labels: the classes in the order of their ids; with tags.
    Raises:
      InputError: for a length that holds no word, and a tag that is not among the labels.
      ValueError: where there are not as many tags as words.
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
    """What a model says at the first piece of each word of a sentence.

    Args:
      windows: all of the sentence's.
      values: a row a window, an entry a token; entries at padding are not looked at.
      count: words of the sentence.
      missing: the value of a word that is in no window.
    Returns:
      list of `count` values.
    Raises:
      ValueError: for another number of rows than windows, or a row shorter than its window.
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
    """The tag of each word of a sentence, O for those without pieces.

    Args:
      windows, count: as `by_word` takes them.
      class_ids: a row a window, the class of each token.
      labels: the classes in the order of their ids, O among them.
    """
    found = by_word(windows, class_ids, count, labels.index("O"))
    return [labels[class_id] for class_id in found]


def _classes(tags, labels):
    ids = {label: index for index, label in enumerate(labels)}
    unknown = [tag for tag in tags if tag not in ids]
    if unknown:
        raise InputError(f"the tag {unknown[0]!r} is none of the model's: {', '.join(labels)}")
    return [ids[tag] for tag in tags]


def _window(content, cls_id, sep_id):
    ids, labels, words = [cls_id], [NO_LABEL], [NO_WORD]
    for pieces, label, index in content:
        rest = len(pieces) - 1
        ids += pieces
        labels += [label] + [NO_LABEL] * rest
        words += [index] + [NO_WORD] * rest
    return TokenWindow((*ids, sep_id), (*labels, NO_LABEL), (*words, NO_WORD))
