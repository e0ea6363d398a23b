"""ExportedHead: what an exported file computes after the last block, as Keras layers."""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True, kw_only=True)
class ExportedHead:
    """[pool] -> [hidden dense, activation] -> [norm] -> [output dense] -> [unit length].

    None for a part leaves it out. Layers are anything with `kernel` and `bias`, or `gamma` and
    `beta`, as variables or arrays.

    Args:
      pooler: how the states of the tokens become one vector, an `EncoderConfig.pooler`.
      hidden: a dense layer. After a pooler it has the pooler's activation; on the states of tokens
        it has the encoder's.
      norm: a norm after it.
      output: the dense layer to the logits.
      unit_length: whether the result is divided by its length.
    """

    pooler: str | None = None
    hidden: Any = None
    norm: Any = None
    output: Any = None
    unit_length: bool = False

    @classmethod
    def of_classifier(cls, model) -> "ExportedHead":
        """Return the head of a `Classifier`: the encoder's pooler, then the output layer."""
        return cls(pooler=model.config.pooler, hidden=model.encoder.pooler.dense,
                   output=model.head)
