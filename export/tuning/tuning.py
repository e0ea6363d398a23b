"""Tuning: what files cost with each number of threads, and which one to ship."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.export.benchmark import disturbance
from mobilebert_tf.export.tuning.candidate import Candidate
from mobilebert_tf.export.tuning.subject import GatedFile
from mobilebert_tf.terminal.counted import counted

# Latencies that are nearer to the best than this are equal: a repetition may turn them round.
EQUAL = 0.05


def best(candidates: Sequence[Candidate], loss: float) -> Candidate:
    """Return the candidate to ship.

    1. Its score is at most `loss` points below the best score.
    2. Of these it is the fastest, or at most 5 % slower than the fastest.
    3. Of these it has the best score; of equal ones the fewest threads, then the smallest file,
       then the least latency.

    Args:
      candidates: at least one; their files passed their gates.
      loss: in points of 100.
    """
    top = max(one.subject.score for one in candidates)
    good = [one for one in candidates if 100 * (top - one.subject.score) <= loss + 1e-9]
    limit = (1 + EQUAL) * min(one.mean_ms for one in good)
    fast = [one for one in good if one.mean_ms <= limit]
    return min(fast, key=lambda one: (
        -one.subject.score, one.threads, one.subject.bytes, one.mean_ms))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tuning:
    """What was measured, and the candidate to ship.

    Args:
      candidates: the fastest first.
      left_out: why other files were not measured, by path and recipe.
      best: the one to ship; see `best`.
      texts: number of texts that the mean latencies are over; None for the longest length.
      loss: points that a file's score may be below the best.
      num_runs: timed runs of each file, length and number of threads.
      machine: this machine, or the phone.
      is_interleaved: whether all were measured in turn, as on this machine.
      date: ISO 8601 in UTC.
    """

    candidates: tuple[Candidate, ...]
    left_out: dict[str, str]
    best: Candidate
    texts: int | None
    loss: float
    num_runs: int
    machine: str
    is_interleaved: bool
    date: str

    @property
    def disturbance(self) -> str | None:
        """A sentence on why the latencies mislead; None if the machine did nothing else."""
        return disturbance.sentence(*({
            f"length {length} of {name(one.subject)} with {counted(one.threads, 'thread')}": ms
            for one in self.candidates for length, ms in getattr(one, costs).items()}
            for costs in ("costs", "undisturbed")))

    def to_dict(self) -> dict:
        """Return the result for JSON."""
        return {
            **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)},
            "candidates": [one.to_dict() for one in self.candidates], "best": self.best.to_dict(),
            "disturbance": self.disturbance}


def name(subject: GatedFile) -> str:
    """Return what tables call a file."""
    source = Path(subject.source).resolve().name
    return source if subject.source == subject.file else f"{source}, {subject.recipe}"
