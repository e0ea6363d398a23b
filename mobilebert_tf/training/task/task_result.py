"""TaskResult: what a run on a task wrote."""

import dataclasses
import os
from pathlib import Path

from mobilebert_tf.data.datasets.rows import LeftOut
from mobilebert_tf.training import curves, metrics_line


@dataclasses.dataclass(frozen=True)
class TaskResult:
    """What a run on a task wrote.

    Args:
      model: the model directory, with the best student.
      metric: the dev score that chose it.
      scores: its dev scores by name.
      best: where it was found: its `stage` and `step`.
      curves: PNG of the losses and the scores.
      seconds: of training and scoring, over all processes of the run. What was computed before
        them, such as the teacher's outputs, is not counted.
      left_out: the rows of the data files that were left out.
      scorings: how many times a student was scored on the dev set; the best was chosen among these.
    """

    model: Path
    metric: str
    scores: dict[str, float]
    best: dict[str, str | int]
    curves: Path
    seconds: float
    left_out: tuple[LeftOut, ...] = ()
    scorings: int = 1

    @classmethod
    def of(cls, directory: str | os.PathLike, metric: str,
           left_out: tuple[LeftOut, ...]) -> "TaskResult":
        """Return the result of a finished run, from its metrics.jsonl; draw its curves."""
        directory = Path(directory)
        lines = curves.read(directory / "metrics.jsonl")
        picture = directory / "curves.png"
        curves.draw(lines, picture)
        dev = [line for line in lines if line["split"] == "dev"]
        best = max(dev, key=lambda line: line[metric])  # the first of equal ones
        seconds = sum(line[metrics_line.SECONDS] for line in dev) + sum(
            line["tokens"] / line["tokens_per_second"] for line in lines
            if line["split"] == "train")
        return cls(directory, metric, metrics_line.scores(best),
                   {"stage": best["stage"], "step": best["step"]}, picture, seconds, left_out,
                   len(dev))

    @property
    def score(self) -> float:
        """The dev score that chose the student."""
        return self.scores[self.metric]

    def to_json(self) -> dict:
        """Return all but `left_out` as JSON values."""
        return {"model": str(self.model), "metric": self.metric, "scores": self.scores,
                "best": self.best, "curves": str(self.curves), "seconds": round(self.seconds),
                "scorings": self.scorings}
