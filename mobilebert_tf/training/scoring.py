"""Scoring: how good a run's student is at what it is trained for, as far as the loop knows."""

from typing import Protocol


class Scoring(Protocol):
    """Scores a student, and keeps it.

    Attributes:
      metric: the name of the score that chooses the best student; more is better.
    """

    metric: str

    def scores(self) -> dict[str, float] | None:
        """Return the scores of the student as it is now; None if its outputs are not finite."""

    def keep(self, scores: dict[str, float]) -> None:
        """Write the student as it is now; called for each one that is the best so far.

        Args:
          scores: its own.
        """
