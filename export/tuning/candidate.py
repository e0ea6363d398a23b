"""Candidate: a file with a number of threads, to be chosen or not."""

import dataclasses

from mobilebert_tf.export.lengths import choosing
from mobilebert_tf.export.tuning.subject import GatedFile


@dataclasses.dataclass(frozen=True, kw_only=True)
class Candidate:
    """A file with a number of threads.

    Args:
      subject: the file.
      threads: of the CPU kernels.
      costs, undisturbed: the median and the 5th percentile of a run's milliseconds, by length; a
        phone's tool may give the mean for both.
      lengths: the fewest lengths with the least mean latency over the texts.
      mean_ms: this latency.
    """

    subject: GatedFile
    threads: int
    costs: dict[int, float]
    undisturbed: dict[int, float]
    lengths: tuple[int, ...]
    mean_ms: float

    @classmethod
    def of(cls, subject: GatedFile, threads: int, costs: dict[int, float],
           undisturbed: dict[int, float], counts: dict[int, int]) -> "Candidate":
        """Make a candidate for texts, of which `counts` need each length of the file."""
        lengths = choosing.best_sets(costs, counts, len(costs))[-1]
        return cls(subject=subject, threads=threads, costs=costs, undisturbed=undisturbed,
                   lengths=lengths, mean_ms=choosing.mean_cost(lengths, costs, counts))

    def to_dict(self) -> dict:
        """Return the candidate for JSON."""
        subject = self.subject
        return {"source": str(subject.source), "recipe": subject.recipe, "threads": self.threads,
                "lengths": list(self.lengths), "mean_ms": self.mean_ms, "metric": subject.metric,
                "score": subject.score, "bytes": subject.bytes,
                "costs": {str(length): ms for length, ms in self.costs.items()},
                "undisturbed": {str(length): ms for length, ms in self.undisturbed.items()}}
