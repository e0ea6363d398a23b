"""CascadeChoice: a threshold between two files, and what the cascade costs and loses."""

import dataclasses
from pathlib import Path

from mobilebert_tf.export.benchmark import disturbance
from mobilebert_tf.export.cascade.cascade_point import CascadePoint
from mobilebert_tf.kinds.kind import Kind


@dataclasses.dataclass(frozen=True, kw_only=True)
class CascadeChoice:
    """A cascade of two files: the threshold, and the curve of score against mean latency.

    Args:
      files: the paths of the first and of the second.
      kind: of both, with the labels.
      task, metric: their names.
      bound: the loss against the second file, in points, for which the threshold was chosen.
      chosen_on, measured_on: number of examples of the two halves of the dev set.
      chosen: the cascade, on the half that chose nothing.
      loss_noise: standard error of its loss in points; None if unknown.
      first, second: each file alone, on the same half.
      calibration_error: of the first file on the same half, in 15 bins; 0 is perfect.
      curve: cascades of other thresholds, ascending, on the same half.
      costs, undisturbed: of each file, the median and the 5th percentile of a run's milliseconds,
        by length.
      num_threads, num_runs: of the measurement.
      machine, versions, date: as in `BenchmarkRecord`.
    """

    files: tuple[Path, Path]
    kind: Kind
    task: str
    metric: str
    bound: float
    chosen_on: int
    measured_on: int
    chosen: CascadePoint
    loss_noise: float | None
    first: CascadePoint
    second: CascadePoint
    calibration_error: float
    curve: tuple[CascadePoint, ...]
    costs: tuple[dict[int, float], dict[int, float]]
    undisturbed: tuple[dict[int, float], dict[int, float]]
    num_threads: int
    num_runs: int
    machine: str
    versions: dict[str, str]
    date: str

    def loss(self, point: CascadePoint) -> float:
        """Return how much lower a score is than the second file's, in points of 100."""
        return round(100 * (self.second.score - point.score), 3)

    @property
    def is_beaten(self) -> bool:
        """Whether the second file alone is as fast as the chosen cascade and scores as well."""
        return self.ratio(self.chosen) >= 1 and self.chosen.score <= self.second.score

    def ratio(self, point: CascadePoint) -> float:
        """Return a mean latency over that of the second file alone."""
        return point.mean_ms / self.second.mean_ms

    @property
    def disturbance(self) -> str | None:
        """A sentence on why the latencies mislead; None if the machine did nothing else."""
        return disturbance.sentence(*(
            {f"length {length} of {file.name}": ms for file, of_file in zip(
                self.files, costs, strict=True) for length, ms in of_file.items()}
            for costs in (self.costs, self.undisturbed)))

    def to_dict(self) -> dict:
        """Return the choice for JSON."""
        return {
            **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)},
            "files": [str(file) for file in self.files], "kind": self.kind.name,
            **{name: self._point(getattr(self, name)) for name in ("chosen", "first", "second")},
            "curve": [self._point(point) for point in self.curve],
            **{name: [{str(length): ms for length, ms in of_file.items()}
                      for of_file in getattr(self, name)] for name in ("costs", "undisturbed")},
            "disturbance": self.disturbance}

    def facts(self) -> dict:
        """Return what the cascade's own file says about the choice."""
        return {"task": self.task, "metric": self.metric, "bound": self.bound,
                "chosen_on": self.chosen_on, "measured_on": self.measured_on,
                "measured": {name: self._point(getattr(self, name))
                             for name in ("first", "second", "chosen")},
                "machine": self.machine, "date": self.date}

    def _point(self, point):
        return {**dataclasses.asdict(point), "loss": self.loss(point), "ratio": self.ratio(point)}
