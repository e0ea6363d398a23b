"""HeldOutScores: what a model and its file score on a test set."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class HeldOutScores:
    """The task's metric of the Keras model and of a file on the test set."""

    examples: int
    model_score: float
    file_score: float
