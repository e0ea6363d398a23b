"""Neighbours: the whole words with the most similar input embeddings."""

import numpy as np

from mobilebert_tf.augmentation.eligible import is_word
from mobilebert_tf.text.vocabulary import Vocabulary


class Neighbours:
    """The nearest whole words of a vocabulary to a word of several pieces.

    They take the place of GloVe's nearest words in TinyBERT. The vector of a word is the mean of
    its pieces' input embeddings. Similarity is the cosine. Only pieces of the letters a-z that
    begin a word are neighbours, and a piece of the word itself is none.

    Args:
      vocabulary: the model's.
      table: float `(vocab, size)`, the model's input word embeddings.
    """

    def __init__(self, vocabulary: Vocabulary, table: np.ndarray):
        self._pieces = vocabulary.pieces
        self._table = np.asarray(table, np.float32)
        self._ids = np.array([number for number, piece in enumerate(self._pieces)
                              if is_word(piece)], np.int64)
        self._directions = _normalized(self._table[self._ids])
        self._found = {}

    def of(self, word: str, ids: tuple[int, ...], count: int) -> list[str]:
        """Return the nearest words, best first; in title case if the word is.

        Args:
          word: as it stands in the text.
          ids: its pieces.
          count: the most words to return.
        """
        if (ids, count) not in self._found:
            self._found[ids, count] = self._nearest(ids, count)
        found = self._found[ids, count]
        return [one.title() for one in found] if word.istitle() else list(found)

    def _nearest(self, ids, count):
        cosines = self._directions @ _normalized(self._table[list(ids)].mean(0))
        order = np.argsort(-cosines, kind="stable")[:count + len(ids)]
        return [self._pieces[number] for number in self._ids[order] if number not in ids][:count]


def _normalized(vectors):
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)
