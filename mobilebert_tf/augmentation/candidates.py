"""Candidates: the words that may replace each word of a text."""

import dataclasses
from collections.abc import Iterator

import numpy as np

from mobilebert_tf.augmentation.eligible import is_eligible
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.augmentation.neighbours import Neighbours
from mobilebert_tf.text.marks import end_with_marks

# Pieces of a part of a text: with its copy and [CLS], [SEP], [SEP], a row of at most 255. The texts
# of GLUE are one part; TinyBERT reads them with at most 128 pieces.
_PART = 126


@dataclasses.dataclass(frozen=True)
class Candidates:
    """The words of a text, and what may replace them.

    Args:
      words: of BERT's BasicTokenizer: punctuation stands alone, and an uncased model's words are
        lower-cased without accents.
      spans: the (start, end) of each word in characters of the text.
      replacements: for each word that may be replaced, its number and its candidates, at least
        one, in the order of the text.
    """

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    replacements: dict[int, list[str]]


def find(text: str, masked_lm: MaskedLM, neighbours: Neighbours, count: int,
         as_published: bool = False) -> Candidates:
    """Find the candidates of every eligible word of a text.

    A word of one piece is masked, in a copy of the text that stands before the text itself:
    `[CLS] copy [SEP] text [SEP]`. Its candidates are the pieces that the masked LM scores highest
    and that begin a word. The candidates of a word of several pieces are its neighbours. A word
    without candidates has itself as the only one. Source: TinyBERT's data_augmentation.py,
    `DataAugmentor`.

    A long text is cut between words into equal parts, each read alone.

    Args:
      text: any text.
      masked_lm: a `MaskedLM`, or an object with its attributes and `best`.
      neighbours: of the same vocabulary.
      count: pieces and neighbours to look at for each word.
      as_published: whether to read a text of any length at once, cut to the model's positions, so
        that words after the cut are never replaced; and to keep pieces in brackets, such as [UNK]
        and [unused1], as candidates.
    """
    words, ids, word_of_piece, offsets = masked_lm.tokenizer.split_words(text)
    pieces = [[] for _ in words]
    for position, number in enumerate(word_of_piece):
        pieces[number].append(position)
    eligible = [number for number, word in enumerate(words) if is_eligible(word)]
    single = [number for number in eligible if len(pieces[number]) == 1]
    found = {}
    for part in ([range(len(ids))] if as_published else _parts(pieces, masked_lm.max_positions)):
        masked = {number: pieces[number][0] - part.start for number in single
                  if pieces[number][0] in part}
        found |= _fill(masked, ids[part.start:part.stop], masked_lm, count, as_published)
    for number in eligible:
        if len(pieces[number]) > 1:
            found[number] = neighbours.of(
                words[number], tuple(ids[position] for position in pieces[number]), count)
    return Candidates(
        tuple(words), tuple(
            (offsets[of[0]][0], end_with_marks(text, offsets[of[-1]][1])) for of in pieces),
        {number: found.get(number) or [words[number]] for number in eligible})


def _parts(pieces, max_positions) -> Iterator[range]:
    """The pieces of each part of a text, as equal as words allow."""
    most = max(1, min(_PART, (max_positions - 3) // 2))
    count = sum(map(len, pieces))
    wanted = -(-count // -(-count // most)) if count else most
    start = 0
    for word in pieces:
        if word[-1] >= start + wanted and word[0] > start:
            yield range(start, word[0])
            start = word[0]
    if count:
        yield range(start, count)


def _fill(masked, ids, masked_lm, count, keeps_special):
    """Candidates by the number of a word, for words of one piece; one batch for all of them."""
    vocabulary, limit = masked_lm.tokenizer.vocabulary, masked_lm.max_positions
    first = [vocabulary.cls_id, *ids, vocabulary.sep_id]
    row = np.array([*first, *ids, vocabulary.sep_id][:limit], np.int32)
    # [CLS] comes first.
    places = {number: position + 1 for number, position in masked.items() if position + 1 < limit}
    if not places:
        return {}
    positions = np.array(list(places.values()), np.int32)
    rows = np.tile(row, (len(places), 1))
    rows[np.arange(len(places)), positions] = vocabulary.mask_id
    types = np.tile(np.int32(np.arange(len(row)) >= len(first)), (len(places), 1))
    best = masked_lm.best(rows, types, positions, count)
    return {number: [piece for piece in (vocabulary.pieces[one] for one in chosen)
                     if not piece.startswith("##") and (keeps_special or not _is_special(piece))]
            for number, chosen in zip(places, best, strict=True)}


def _is_special(piece):
    return len(piece) > 2 and piece[0] == "[" and piece[-1] == "]"
