"""OutputReport: how near one output of a file is to the Keras model's."""

import dataclasses


@dataclasses.dataclass(frozen=True, kw_only=True)
class OutputReport:
    """How near one output of the file is to the Keras model's, on random tokens.

    Args:
      shape: of the output for one row.
      max_difference: the largest absolute difference.
      max_relative_difference: the same, divided by the largest absolute value of the Keras output.
    """

    shape: tuple[int, ...]
    max_difference: float
    max_relative_difference: float
