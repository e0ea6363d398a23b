"""Rule: how some operations of a graph compute."""

import dataclasses
from typing import Literal


@dataclasses.dataclass(frozen=True)
class Rule:
    """How some operations of a graph compute; the last of several matching rules holds.

    Args:
      operations: LiteRT's names, such as FULLY_CONNECTED, or * for all.
      arithmetic: `static_int8`: int8 inputs and outputs, with calibrated ranges. `dynamic_int8`,
        `dynamic_int4`: weights of so many bits; activations are quantized at run time, row by row.
        `float32`: unchanged.
      scope: a regular expression that is searched in the name that `lean.graph` gives an operation.
    """

    operations: tuple[str, ...]
    arithmetic: Literal["static_int8", "dynamic_int8", "dynamic_int4", "float32"]
    scope: str = ""
