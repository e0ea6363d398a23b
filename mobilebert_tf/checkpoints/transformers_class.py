"""TransformersClass: what transformers has for a model class of ours."""

import dataclasses
from collections.abc import Mapping
from typing import Literal


@dataclasses.dataclass(frozen=True)
class TransformersClass:
    """A class of transformers that computes what a model class of ours computes.

    Args:
      suffix: the class's name without the family's prefix, such as `ForMaskedLM`.
      reads: what its head is on: the `pooled` output, the `tokens` one by one, or `spans` of them.
      settings: those that every model of the class has.
    """

    suffix: str
    reads: Literal["pooled", "tokens", "spans"] = "tokens"
    settings: Mapping = dataclasses.field(default_factory=dict)

    @property
    def reads_pooled_output(self) -> bool:
        return self.reads == "pooled"
