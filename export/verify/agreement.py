"""Agreement: how far the outputs of a file in two places are apart."""

import dataclasses

import numpy as np

from mobilebert_tf.export import recipes


@dataclasses.dataclass(frozen=True, kw_only=True)
class Agreement:
    """How near the outputs of two places are to each other.

    Args:
      outputs: number of outputs over all signatures of the file.
      max_difference: largest absolute difference of any value.
      max_relative_difference: the same, divided by the largest absolute value of the output;
        infinite if a value is NaN or infinite.
      same_best: share of rows in which the same class, or position, has the highest value. Values
        that are almost equal may change their order, however near the outputs are.
    """

    outputs: int
    max_difference: float
    max_relative_difference: float
    same_best: float

    def sentence(self, bound: float) -> str:
        """Describe the agreement beside the relative difference that is allowed."""
        return (f"largest relative difference {self.max_relative_difference:.1e} (allowed "
                f"{bound:.0e}), the best value the same in {100 * self.same_best:.1f} % of rows")


def bound(recipe: str | None) -> float:
    """Return the relative difference that a recipe's file may show between two processors.

    Float kernels differ by the order of their sums. Where activations are quantized, this moves
    some values to the next step, 1/127 of the largest value in the row, in every block again:
    dynamic int8 differed by up to 0.021 between x86-64 and cortex-a76. A file of unknown recipe may
    differ as much as a quantized one.
    """
    known = recipes.RECIPES.get(recipe)
    return 1e-5 if known is not None and known.in_float else 0.05


def compare(expected, actual) -> Agreement:
    """Compare outputs by "signature/row/output"; both have the same keys."""
    if expected.keys() != actual.keys():
        raise ValueError("the outputs should have the same names. Received: "
                         f"{sorted(expected)} and {sorted(actual)}")
    names = {(signature, output) for signature, _, output in map(_split, expected)}
    differences, relative, same = [], [], []
    for name in names:
        keys = [key for key in expected if _split(key)[::2] == name]
        here, there = (np.concatenate([values[key] for key in keys]).astype(np.float64)
                       for values in (expected, actual))
        difference = np.abs(here - there).max()
        differences.append(difference)
        relative.append(difference / max(np.abs(here).max(), 1e-30))
        same.append(np.mean(here.argmax(-1) == there.argmax(-1)))
    finite = np.isfinite(differences).all()
    return Agreement(
        outputs=len(names),
        max_difference=float(max(differences)) if finite else float("inf"),
        max_relative_difference=float(max(relative)) if finite else float("inf"),
        same_best=float(np.mean(same)))


def _split(key):
    return tuple(key.rsplit("/", 2))
