"""ModelRunner: what runs a model on batches, whether of Keras or in a file."""

from typing import Protocol

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.text.tokenizer import Tokenizer


class ModelRunner(Protocol):
    """A model that is ready to run; `KerasRunner` and `export.Runner` are the two.

    Attributes:
      kind: with the model's labels and settings.
      length: the most tokens of a row.
      tokenizer: of the model's vocabulary.
      pairs: whether the model was made for pairs of texts; None if that is not known.
    """

    kind: Kind
    length: int
    pairs: bool | None

    @property
    def tokenizer(self) -> Tokenizer: ...

    def length_for(self, tokens: int) -> int:
        """Return the number of positions that a row of so many tokens is padded to."""

    def __call__(self, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Run a batch of the encoder's inputs, int32 `(batch, width)` each.

        Returns:
          float32 `(batch, ...)` by the names of `kind.outputs`.
        """


def check_pairs(runner: ModelRunner, pairs: bool) -> None:
    """Raise InputError for single texts or pairs, if the model was made for the other of the two.

    Only kinds that read tables have models for either.

    Args:
      runner: of the model.
      pairs: whether it is given pairs of texts.
    """
    if runner.kind.table is None or runner.pairs in (None, pairs):
        return
    raise InputError("the model reads pairs of texts: give a second text for each" if runner.pairs
                     else "the model reads single texts: leave the second texts out")
