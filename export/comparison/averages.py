"""Averages: the three that published tables print under nearly the same word.

They differ by more than a point for one model, so they are never ranked against each other.
"""

import dataclasses
from collections.abc import Callable
from typing import Literal

from mobilebert_tf.export.comparison.figures import Figures

_PLAIN = ("cola", "sst2", "mrpc", "stsb", "qqp", "mnli_m", "mnli_mm", "qnli", "rte")
_SINGLE = ("cola", "sst2", "qnli", "rte")
_PAIRS = ("mrpc", "stsb", "qqp")
_DEV = ("cola", "sst2", "mrpc", "stsb", "qqp", "mnli_m", "qnli", "rte", "wnli")


def leaderboard(figures: Figures) -> float | None:
    """Return GLUE's own average of its test sets; None if a score is absent.

    Nine tasks count alike, WNLI among them. MRPC, QQP and STS-B are means of two metrics, MNLI is
    the mean of its two sets. It is the GLUE column of MobileBERT's Table 4 and the score of
    google-research/bert's README.
    """
    scores, other = figures.scores, {"wnli": figures.scores.get("wnli"), **figures.other_scores}
    if not _has(scores, _PLAIN) or not _has(other, (*_PAIRS, "wnli")):
        return None
    tasks = [*(scores[task] for task in _SINGLE), other["wnli"],
             *((scores[task] + other[task]) / 2 for task in _PAIRS),
             (scores["mnli_m"] + scores["mnli_mm"]) / 2]
    return sum(tasks) / len(tasks)


def plain_nine(figures: Figures) -> float | None:
    """Return the mean of nine columns of GLUE's test sets; None if one is absent.

    MNLI's two sets are two columns, WNLI is left out, and MRPC, QQP and STS-B have one metric each.
    It is the average of TinyBERT's Table 1 and of BERT's Table 1.
    """
    return _mean(figures.scores, _PLAIN)


def dev_macro(figures: Figures) -> float | None:
    """Return the mean of nine tasks on dev, with WNLI and MNLI-m alone; None if one is absent.

    It is the score of DistilBERT's Table 1.
    """
    return _mean(figures.scores, _DEV)


def _mean(scores, tasks):
    return sum(scores[task] for task in tasks) / len(tasks) if _has(scores, tasks) else None


def _has(scores, tasks):
    return all(scores.get(task) is not None for task in tasks)


@dataclasses.dataclass(frozen=True)
class Average:
    """An average.

    Args:
      heading: of its column.
      description: what it is a mean over.
      split: of the data sets that it is taken over.
      of: computes it; None if a score is absent.
    """

    heading: str
    description: str
    split: Literal["test", "dev"]
    of: Callable[[Figures], float | None]


AVERAGES = {
    "leaderboard": Average(
        "leaderboard", "the GLUE leaderboard's: nine tasks with WNLI; MRPC, QQP and STS-B are "
        "means of two metrics, MNLI of two sets", "test", leaderboard),
    "plain_nine": Average(
        "plain nine", "the plain mean of nine columns: MNLI-m and MNLI-mm apart, without WNLI, F1 "
        "for MRPC and QQP, Spearman for STS-B", "test", plain_nine),
    "dev_macro": Average(
        "dev macro", "the mean of nine tasks, with WNLI and MNLI-m alone", "dev",
        dev_macro),
}
