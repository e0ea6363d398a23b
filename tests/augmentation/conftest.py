"""A masked LM that answers by a script, with word vectors of two numbers."""

import numpy as np
import pytest

from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import Vocabulary

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "film", "movie", "story", "un",
          "##able", "##ly", "able", "weak", "the", "!", "3", "##rd", "'", "won", "t")
# Degrees of the word vectors; (un + ##able) / 2 points to 45. Pieces that are not words lie close.
ANGLES = {"un": 0, "##able": 90, "able": 40, "weak": 55, "story": 75, "film": 180, "movie": 200,
          "##ly": 45, "!": 45, "a": 270, "the": 280, "won": 290, "t": 300}


class Scripted:
    """Give the same pieces for every mask, and remember the batches."""

    max_positions = 32
    fingerprint = "scripted"

    def __init__(self, answers):
        self.vocabulary = Vocabulary(PIECES)
        self.tokenizer = Tokenizer(self.vocabulary)
        self.word_table = np.array([[np.cos(angle), np.sin(angle)] for angle in np.radians(
            [ANGLES.get(piece, 200) for piece in PIECES])])
        self.answers, self.batches = answers, []

    def best(self, ids, type_ids, positions, count):
        self.batches.append((ids, type_ids, positions))
        answers = [self.vocabulary.ids[piece] for piece in self.answers[:count]]
        return np.array([answers] * len(ids))


@pytest.fixture
def masked_lm():
    return Scripted(("film", "##ly", "movie", "[UNK]", "story"))
