"""ModelRunner: what runs a model on batches, whether of Keras or in a file."""

from typing import Protocol

import numpy as np

from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.text.tokenizer import Tokenizer


class ModelRunner(Protocol):
    """A model that is ready to run; `KerasRunner` and `export.Runner` are the two.

    Attributes:
      kind: with the model's labels and settings.
      length: the most tokens of a row.
      tokenizer: of the model's vocabulary.
    """

    kind: Kind
    length: int

    @property
    def tokenizer(self) -> Tokenizer: ...

    def length_for(self, tokens: int) -> int:
        """Return the number of positions that a row of so many tokens is padded to."""

    def __call__(self, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Run a batch of the encoder's inputs, int32 `(batch, width)` each.

        Returns:
          float32 `(batch, ...)` by the names of `kind.outputs`.
        """
