"""LengthChoice: measured lengths, and the best sets of them for some texts."""

import dataclasses

from mobilebert_tf.export.benchmark import disturbance
from mobilebert_tf.export.lengths import choosing


@dataclasses.dataclass(frozen=True, kw_only=True)
class LengthChoice:
    """What a run costs at each length, how many texts need it, and which lengths are best.

    Args:
      model: name of the model or file.
      recipe: how it was exported.
      texts: number of texts.
      longest_text: tokens of the longest, [CLS] and [SEP] included.
      counts: the number of texts that need each length: the shortest that holds the text with one
        position of padding, or the longest, which cuts what it does not hold.
      costs: the median time of a run at each length, in milliseconds.
      undisturbed: the 5th percentile of the same times.
      sets: the best set of at most 1, 2, ... lengths; see `choosing.best_sets`.
      num_threads, num_runs: of the measurement.
      machine, versions, date: as in `BenchmarkRecord`.
    """

    model: str
    recipe: str
    texts: int
    longest_text: int
    counts: dict[int, int]
    costs: dict[int, float]
    undisturbed: dict[int, float]
    sets: tuple[tuple[int, ...], ...]
    num_threads: int
    num_runs: int
    machine: str
    versions: dict[str, str]
    date: str

    @property
    def lengths(self) -> tuple[int, ...]:
        """The best lengths, ascending."""
        return self.sets[-1]

    @property
    def fixed_ms(self) -> float:
        """The cost of a text in a file of the longest length alone."""
        return self.costs[max(self.costs)]

    def mean_ms(self, chosen: tuple[int, ...]) -> float:
        """Return the mean cost of a text in a file of these lengths."""
        return choosing.mean_cost(chosen, self.costs, self.counts)

    def share(self, length: int, chosen: tuple[int, ...]) -> float:
        """Return the share of the texts that run at a length, in a file of these lengths."""
        return sum(count for needed, count in self.counts.items()
                   if choosing.run_at(needed, chosen) == length) / self.texts

    @property
    def disturbance(self) -> str | None:
        """A sentence on why the costs mislead; None if the machine did nothing else."""
        return disturbance.sentence(*(
            {f"length {length}": ms for length, ms in costs.items()}
            for costs in (self.costs, self.undisturbed)))

    def to_dict(self) -> dict:
        """Return the choice for JSON."""
        return {
            **dataclasses.asdict(self), "lengths": list(self.lengths), "fixed_ms": self.fixed_ms,
            "counts": {str(length): count for length, count in self.counts.items()},
            "costs": {str(length): cost for length, cost in self.costs.items()},
            "undisturbed": {str(length): cost for length, cost in self.undisturbed.items()},
            "disturbance": self.disturbance,
            "sets": [{"lengths": list(chosen), "mean_ms": self.mean_ms(chosen),
                      "ratio": self.mean_ms(chosen) / self.fixed_ms} for chosen in self.sets]}
