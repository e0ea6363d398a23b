"""Features: sequences of token ids, with what a model should say of each."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from mobilebert_tf.text.packing import join
from mobilebert_tf.text.tokenizer import Tokenizer


@dataclasses.dataclass(frozen=True)
class Features:
    """What a task makes of its examples for a model to read.

    Args:
      ids: token ids of each row, special ones included, without padding. NumPy arrays, where
        there are many: an int of Python's takes ten times the memory.
      first_lengths: how many tokens of each row are of the first segment.
      targets: what the model should say: one entry a row (a class, a number, or a class for
        each of the row's tokens, -1 where none is asked for), or a dict of these by output. None
        where nobody knows.
      rows: how many rows each example has: one, but for texts that are read through windows.
      origin: by example, what the kind needs to make an answer of a model's outputs.
      truncated: whether each example lost its end; None if none did.
    """

    ids: Sequence[Sequence[int]]
    first_lengths: Sequence[int]
    targets: Sequence | dict[str, Sequence] | None = None
    rows: Sequence[int] | None = None
    origin: Sequence | None = None
    truncated: Sequence[bool] | None = None

    def packed(self, length: int, pad_id: int) -> dict[str, np.ndarray]:
        """The encoder's inputs, int32 `(rows, length)`."""
        ids = np.full((len(self.ids), length), pad_id, np.int32)
        mask = np.zeros_like(ids)
        types = np.zeros_like(ids)
        for row, (tokens, first) in enumerate(zip(self.ids, self.first_lengths, strict=True)):
            ids[row, :len(tokens)] = tokens
            mask[row, :len(tokens)] = 1
            types[row, first:len(tokens)] = 1
        return {"input_word_ids": ids, "input_mask": mask, "input_type_ids": types}

    def by_example(self, values: Sequence) -> list[Sequence]:
        """Values with an entry a row, as slices with an entry an example."""
        if self.rows is None:
            return [values[row:row + 1] for row in range(len(values))]
        ends = np.cumsum(self.rows)
        return [values[end - count:end] for end, count in zip(ends, self.rows, strict=True)]


def single_rows(texts: Sequence[str], pairs: Sequence[str] | None, tokenizer: Tokenizer,
                length: int, targets: Sequence | None = None) -> Features:
    """A row a text, or a pair of texts: [CLS] a [SEP], or [CLS] a [SEP] b [SEP].

    Args:
      texts: the first, or only, text of each row.
      pairs: the second of each, or None.
      tokenizer: the model's.
      length: most tokens of a row; longer ones are cut as `packing.join` says.
      targets: see `Features`.
    """
    vocabulary = tokenizer.vocabulary
    first = tokenizer.encode_texts(list(texts))
    second = [None] * len(first) if pairs is None else tokenizer.encode_texts(list(pairs))
    joined = [join(a, b, length=length, cls_id=vocabulary.cls_id, sep_id=vocabulary.sep_id)
              for a, b in zip(first, second, strict=True)]
    lengths = [len(a) + (3 + len(b) if b is not None else 2)
               for a, b in zip(first, second, strict=True)]
    return Features([np.array(ids, np.int32) for ids, _ in joined],
                    [count for _, count in joined], targets,
                    truncated=[whole > length for whole in lengths])
