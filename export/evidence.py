"""Evidence: how reliable the comparison of a file with its Keras model is."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import jackknife
from mobilebert_tf.tasks.task import Task

# A drop of so many points matters, even if the recipe may lose fewer.
_LEAST_BOUND = 0.5
# The rule of three: an event of probability 3/n is seen in n examples 19 times out of 20.
_RULE_OF_THREE = 3
# A value is within so many standard errors 19 times out of 20.
_WITHIN = 2


@dataclasses.dataclass(frozen=True, kw_only=True)
class Evidence:
    """The numbers that tell how reliable a comparison is.

    Scores are at most 1; everything else is in points of 100.

    Args:
      metric: name of the metric.
      noun: what an answer of the kind is called.
      examples: number of examples in the dev set.
      expected: number of different gold answers.
      said_by_model, said_by_file: number of different answers of each.
      model_score: of the Keras model.
      constant_score: of the best answer that is the same for all examples.
      score_noise: standard error of the difference of these two scores; None if unknown.
      drop_noise: standard error of the drop; None if unknown.
      bound: the largest drop that the recipe may have.
    """

    metric: str
    noun: str
    examples: int
    expected: int
    said_by_model: int
    said_by_file: int
    model_score: float
    constant_score: float
    score_noise: float | None
    drop_noise: float | None
    bound: float

    @property
    def resolution(self) -> float:
        """The worth of one example in points, if all count the same."""
        return 100 / self.examples

    def weaknesses(self) -> tuple[str, ...]:
        """Return sentences on why the comparison says little; none if it says enough."""
        return tuple(sentence for sentence in (
            self._few_examples(), self._one_answer(), self._no_better_than_constant(),
            self._noisy_drop()) if sentence is not None)

    def to_dict(self) -> dict:
        """Return for JSON what no other part of a report has."""
        return {"resolution": self.resolution, "expected": self.expected,
                "said_by_model": self.said_by_model, "said_by_file": self.said_by_file,
                "constant_score": self.constant_score, "score_noise": _rounded(self.score_noise),
                "drop_noise": _rounded(self.drop_noise)}

    @property
    def _matters(self):
        """The drop that the comparison should be able to show."""
        return max(self.bound, _LEAST_BOUND)

    def _few_examples(self):
        hidden = _RULE_OF_THREE * self.resolution
        if hidden <= self._matters:
            return None
        return (f"The dev set is small: one of its {self.examples:,} examples is worth "
                f"{_number(self.resolution)} points, and a file that loses {_number(hidden)} "
                "points on other texts may lose none here.")

    def _one_answer(self):
        noun = self.noun
        if self.expected == 1:
            return (f"All {self.examples:,} examples have the same {noun}: a model that always "
                    "gives it is right throughout.")
        same = [name for name, count in (("the Keras model", self.said_by_model),
                                         ("the file", self.said_by_file)) if count == 1]
        if not same:
            return None
        gives = "give" if len(same) > 1 else "gives"
        text = (f"{' and '.join(same)} {gives} one {noun} for all {self.examples:,} examples, "
                f"which have {self.expected:,}.")
        return text[0].upper() + text[1:]

    def _no_better_than_constant(self):
        ahead = 100 * (self.model_score - self.constant_score)
        noise = _WITHIN * (self.score_noise or 0)
        if ahead > noise:
            return None
        known = f", and the difference is known to {_number(noise)} points" if noise else ""
        return (f"The Keras model is not seen to be better than guessing: its {self.metric} is "
                f"{self.model_score:.4f}, the same answer to everything gets "
                f"{self.constant_score:.4f}{known}.")

    def _noisy_drop(self):
        noise = _WITHIN * (self.drop_noise or 0)
        if noise <= self._matters:
            return None
        return (f"The drop is known to {_number(noise)} points, which is more than the "
                f"{self._matters:g} that matter.")


def gather(task: Task, examples: Sequence, of_model: Sequence[Any], of_file: Sequence[Any],
           bound: float) -> Evidence:
    """Gather the evidence of a comparison of two runs on the same examples.

    Args:
      task: of the examples.
      examples: of the dev set.
      of_model, of_file: the answers of each, as the task's kind makes them.
      bound: the largest drop that the file's recipe may have.
    """
    kind, metric = task.kind, task.metrics.main
    constant = kind.constant(examples, task.metrics)

    def scores(numbers):
        chosen = kind.select(examples, numbers)
        return [task.score([answers[number] for number in numbers], chosen)[metric]
                for answers in (of_model, of_file, constant)]

    def noise(values):
        return None if values is None else 100 * jackknife.standard_error(values)

    model_score, _, constant_score = scores(range(len(examples)))
    left = _scores_of_samples(scores, len(examples))
    return Evidence(
        metric=metric, noun=kind.noun, examples=len(examples),
        expected=len(set(kind.expected(examples))),
        said_by_model=len(set(kind.predicted(of_model, examples))),
        said_by_file=len(set(kind.predicted(of_file, examples))),
        model_score=model_score, constant_score=constant_score,
        score_noise=noise(None if left is None else left[:, 0] - left[:, 2]),
        drop_noise=noise(None if left is None else left[:, 0] - left[:, 1]), bound=bound)


def _scores_of_samples(scores, count):
    """The scores of each jackknife sample, `(samples, sides)`; None for too few examples."""
    if count < 3:  # of two examples each sample is one
        return None
    try:
        return np.array([scores(numbers) for numbers in jackknife.samples(count)])
    except InputError:  # a sample without what the metric needs, such as labels that differ
        return None


def _rounded(points):
    return None if points is None else round(points, 3)


def _number(points):
    return f"{points:.2g}" if points < 10 else f"{points:.0f}"
