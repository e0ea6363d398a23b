"""Confidence: how far the probabilities of a file are to be believed."""

import dataclasses


@dataclasses.dataclass(frozen=True, kw_only=True)
class Confidence:
    """The temperature of a file, and what it changes on examples that it was not fitted on.

    Args:
      temperature: what the logits are divided by.
      fitted_on: number of examples that it was fitted on: the 1st, 3rd, 5th, ... of the dev set.
      measured_on: number of the other examples, on which the following is measured.
      decisions: number of decisions in these; several an example for some kinds.
      bins: of equal width, of the calibration errors.
      error_before, error_after: the expected calibration error of the Keras model; 0 is perfect.
      error_of_file: the same of the file, whose logits are divided.
      loss_before, loss_after: the mean negative log likelihood of the Keras model.
    """

    temperature: float
    fitted_on: int
    measured_on: int
    decisions: int
    bins: int
    error_before: float
    error_after: float
    error_of_file: float
    loss_before: float
    loss_after: float

    def rounded(self) -> dict:
        """Return the fields for JSON; more digits would differ between machines."""
        return {name: float(f"{value:.3g}") if isinstance(value, float) else value
                for name, value in dataclasses.asdict(self).items()}

    def __str__(self):
        return (f"temperature {self.temperature:.3f}; expected calibration error "
                f"{self.error_before:.4f} before, {self.error_after:.4f} after, "
                f"{self.error_of_file:.4f} of the file, on {self.measured_on:,} dev examples")
