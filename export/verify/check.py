"""Check: whether a file answers elsewhere as it does on this machine's CPU."""

import dataclasses

from mobilebert_tf.export.verify import agreement, answers


@dataclasses.dataclass(frozen=True, kw_only=True)
class Check:
    """The result for one file.

    Args:
      file: its path.
      recipe: how it was exported; None for a file that this project did not export.
      problem: why it did not run; None if it did.
      agreement: with this machine's outputs; None if it did not run.
      bound: the relative difference that is allowed.
    """

    file: str
    recipe: str | None
    problem: str | None
    agreement: agreement.Agreement | None
    bound: float

    @classmethod
    def of(cls, file, expected, outputs, log: str, **others) -> "Check":
        """Compare the outputs of a worker with the expected ones; see `answers.run`.

        Args:
          others: fields of a subclass.
        """
        recipe = answers.recipe_of(file)
        return cls(
            file=str(file), recipe=recipe,
            problem=answers.reason(log) if outputs is None else None,
            agreement=None if outputs is None else agreement.compare(expected, outputs),
            bound=agreement.bound(recipe), **others)

    @property
    def passed(self) -> bool:
        return (self.agreement is not None
                and self.agreement.max_relative_difference <= self.bound)

    def sentence(self) -> str:
        """Return the verdict, the place and the reasons in a sentence."""
        reasons = [*self._details(), f"it does not run: {self.problem}" if self.agreement is None
                   else self.agreement.sentence(self.bound)]
        return (f"{'passed' if self.passed else 'failed'} {self.file} on {self._place()}: "
                f"{'; '.join(reasons)}")

    def _place(self) -> str:
        raise NotImplementedError

    def _details(self) -> list[str]:
        return []
