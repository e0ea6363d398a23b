"""A vocabulary of single letters, and a runner whose outputs are scripted."""

import numpy as np
import pytest

from mobilebert_tf.text.tokenizer import Tokenizer
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary


@pytest.fixture(scope="session")
def letters():
    """Tokenizer of [PAD] [UNK] [CLS] [SEP] [MASK], which are 0 to 4, and of a to j, 5 to 14."""
    return Tokenizer(Vocabulary([*SPECIAL_PIECES, *"abcdefghij"]))


class Scripted:
    """Gives `outputs(inputs)`, and remembers the widths and sizes of the batches."""

    def __init__(self, tokenizer, outputs, length=16, widths=(8, 16), kind=None, labels=None):
        self.tokenizer, self.length, self.kind, self.labels = tokenizer, length, kind, labels
        self.batches = []
        self._outputs, self._widths = outputs, widths

    def length_for(self, tokens):
        return next(width for width in self._widths if width >= tokens)

    def __call__(self, inputs):
        self.batches.append(inputs["input_word_ids"].shape)
        return {name: np.asarray(values, np.float32)
                for name, values in self._outputs(inputs).items()}


@pytest.fixture(scope="session")
def scripted():
    return Scripted
