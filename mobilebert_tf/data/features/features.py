"""Features: sequences of token ids and a model's targets for them."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from mobilebert_tf.text.packing import join
from mobilebert_tf.text.tokenizer import Tokenizer


@dataclasses.dataclass(frozen=True)
class Features:
    """A model's inputs and targets, made of a task's examples.

    Args:
      ids: token ids of each row, with special tokens, without padding. Use NumPy arrays for many
        rows: a Python int takes ten times the memory.
      first_lengths: number of tokens of each row's first segment.
      targets: an entry for each row: a class, a number, a number for each class, or a class for
        each token (-1 where none is asked for); or a dict of these by output. None if unknown.
      rows: number of rows of each example; None where each has one. Texts read through windows
        have several.
      origin: for each example, what its kind needs to turn outputs into answers.
      truncated: for each example, whether it lost its end; None if none did.
    """

    ids: Sequence[Sequence[int]]
    first_lengths: Sequence[int]
    targets: Sequence | dict[str, Sequence] | None = None
    rows: Sequence[int] | None = None
    origin: Sequence | None = None
    truncated: Sequence[bool] | None = None

    def packed(self, length: int, pad_id: int) -> dict[str, np.ndarray]:
        """Return the encoder's inputs, int32 `(rows, length)`."""
        ids = np.full((len(self.ids), length), pad_id, np.int32)
        mask = np.zeros_like(ids)
        types = np.zeros_like(ids)
        for row, (tokens, first) in enumerate(zip(self.ids, self.first_lengths, strict=True)):
            ids[row, :len(tokens)] = tokens
            mask[row, :len(tokens)] = 1
            types[row, first:len(tokens)] = 1
        return {"input_word_ids": ids, "input_mask": mask, "input_type_ids": types}

    def by_example(self, values: Sequence) -> list[Sequence]:
        """Group values of rows by example: return a slice of `values` for each example."""
        if self.rows is None:
            return [values[row:row + 1] for row in range(len(values))]
        ends = np.cumsum(self.rows)
        return [values[end - count:end] for end, count in zip(ends, self.rows, strict=True)]


def single_rows(texts: Sequence[str], second_texts: Sequence[str] | None, tokenizer: Tokenizer,
                length: int, targets: Sequence | None = None) -> Features:
    """Make one row of each text, [CLS] a [SEP], or of each pair of texts, [CLS] a [SEP] b [SEP].

    Args:
      texts: the only, or first, text of each row.
      second_texts: the second text of each row; None for single texts.
      tokenizer: the model's.
      length: most tokens of a row; longer ones are cut as `packing.join` says.
      targets: see `Features`.
    """
    vocabulary = tokenizer.vocabulary
    first = tokenizer.encode_texts(list(texts))
    second = ([None] * len(first) if second_texts is None
              else tokenizer.encode_texts(list(second_texts)))
    joined = [join(a, b, length=length, cls_id=vocabulary.cls_id, sep_id=vocabulary.sep_id)
              for a, b in zip(first, second, strict=True)]
    lengths = [len(a) + (3 + len(b) if b is not None else 2)
               for a, b in zip(first, second, strict=True)]
    return Features([np.array(ids, np.int32) for ids, _ in joined],
                    [count for _, count in joined], targets,
                    truncated=[whole > length for whole in lengths])
