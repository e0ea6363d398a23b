"""GateReport: how much a file lost against its Keras model."""

import dataclasses

from mobilebert_tf.export.evidence import Evidence
from mobilebert_tf.export.output_difference import OutputDifference


@dataclasses.dataclass(frozen=True, kw_only=True)
class GateReport:
    """How much a file lost against its Keras model.

    Args:
      task: name of the task.
      metric: name of the metric.
      recipe: name of the file's recipe.
      examples: number of examples in the dev set.
      examples_by_length: number of rows that each length of the file ran. There are as many rows as
        examples, unless texts are read through windows.
      model_score, file_score: the metric of each; 1 is perfect.
      drop: how much lower the file's score is, in points of 100; negative if it is higher.
      bound: the largest drop that the recipe may have.
      passed: whether the drop is within the bound and all outputs are finite numbers.
      not_finite: number of examples for which the file gives other values; they count as wrong.
      equal_predictions: fraction of the examples with the same prediction; None if predictions are
        numbers.
      outputs: `OutputDifference` by output name.
      evidence: the numbers that tell how reliable the comparison is.
      weaknesses: sentences on why it says little; a file may pass all the same.
    """

    task: str
    metric: str
    recipe: str
    examples: int
    examples_by_length: dict[int, int]
    model_score: float
    file_score: float
    drop: float
    bound: float
    passed: bool
    not_finite: int
    equal_predictions: float | None
    outputs: dict[str, OutputDifference]
    evidence: Evidence
    weaknesses: tuple[str, ...]

    def to_dict(self) -> dict:
        """Return the report for JSON."""
        return {**dataclasses.asdict(self), "weaknesses": list(self.weaknesses),
                "evidence": self.evidence.to_dict(),
                "examples_by_length": {str(length): count
                                       for length, count in self.examples_by_length.items()}}

    def __str__(self):
        if self.not_finite:
            return (f"{self.recipe} gives numbers that are not finite for {self.not_finite} of "
                    f"{self.examples} {self.task} dev examples")
        return (f"{self.recipe}: {self.task} dev {self.metric} {self.file_score:.4f}, the Keras "
                f"model's {self.model_score:.4f} on {self.examples} examples; a drop of "
                f"{self.drop:.2f} points, {'within' if self.passed else 'beyond'} the "
                f"{self.bound:g} that the recipe may lose")
