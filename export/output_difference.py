"""OutputDifference: how far one output of a file is from the Keras model's."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class OutputDifference:
    """The largest and the mean absolute difference of an output over the dev set.

    Both are over the examples for which the file gives finite numbers; None if there are none.
    """

    max: float | None
    mean: float | None
