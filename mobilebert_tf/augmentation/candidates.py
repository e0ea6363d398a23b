"""Candidates: the words that may replace each word of a text."""

import dataclasses

import numpy as np

from mobilebert_tf.augmentation.eligible import is_eligible
from mobilebert_tf.augmentation.masked_lm import MaskedLM
from mobilebert_tf.augmentation.neighbours import Neighbours


@dataclasses.dataclass(frozen=True)
class Candidates:
    """The words of a text, and what may replace them.

    Args:
      words: of BERT's BasicTokenizer: punctuation stands alone, and an uncased model's words are
        lower-cased without accents.
      replacements: for each word that may be replaced, its number and its candidates, at least
        one, in the order of the text.
    """

    words: tuple[str, ...]
    replacements: dict[int, list[str]]


def find(text: str, masked_lm: MaskedLM, neighbours: Neighbours, count: int,
         keeps_special: bool = False) -> Candidates:
    """Find the candidates of every eligible word of a text.

    A word of one piece is masked, in a copy of the text that stands before the text itself:
    `[CLS] copy [SEP] text [SEP]`, cut to the model's positions. Its candidates are the pieces that
    the masked LM scores highest and that begin a word. The candidates of a word of several pieces
    are its neighbours. A word without candidates is its own. Source: TinyBERT's
    data_augmentation.py, `DataAugmentor`.

    Args:
      text: any text.
      masked_lm: a `MaskedLM`, or an object with its attributes and `best`.
      neighbours: of the same vocabulary.
      count: pieces and neighbours to look at for each word.
      keeps_special: whether pieces in brackets, such as [UNK] and [unused1], may be candidates.
    """
    words, ids, word_of_piece = masked_lm.tokenizer.split_words(text)
    pieces = [[] for _ in words]
    for position, number in enumerate(word_of_piece):
        pieces[number].append(position)
    eligible = [number for number, word in enumerate(words) if is_eligible(word)]
    masked = {number: pieces[number][0] for number in eligible if len(pieces[number]) == 1}
    found = _fill(masked, ids, masked_lm, count, keeps_special)
    for number in eligible:
        if len(pieces[number]) > 1:
            found[number] = neighbours.of(
                words[number], tuple(ids[position] for position in pieces[number]), count)
    return Candidates(tuple(words), {
        number: found.get(number) or [words[number]] for number in eligible})


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
