"""Reporting: a progress bar, metrics.jsonl and TensorBoard for a run."""

import contextlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.reasons import reason
from mobilebert_tf.resuming.position import Position
from mobilebert_tf.resuming.tensorboard_log import TensorBoardLog
from mobilebert_tf.terminal.console import console
from mobilebert_tf.terminal.heartbeat import Heartbeat
from mobilebert_tf.training import metrics_line
from mobilebert_tf.training.measured import COUNT, Measured
from mobilebert_tf.training.objectives import OBJECTIVES
from mobilebert_tf.training.stage import Stage

_METRICS = "metrics.jsonl"
# Seconds of progress that the time left is estimated from; a step may take a minute.
_SPEED_PERIOD = 600


class Reporting:
    """Takes the scalars of each step and writes means over their places, a line every few steps.

    As a context it shows the progress bar.

    Args:
      directory: receives `metrics.jsonl` and `logs/`.
      stages: those of the run.
      every: steps between lines.
      speaks: False for the workers of a run that do not report.
    Attributes:
      scores: the lines of dev scores so far, over all processes of the run.
    """

    def __init__(self, directory: str | os.PathLike, stages: Sequence[Stage], every: int,
                 speaks: bool = True):
        self._directory = Path(directory)
        self._stages = stages
        self._every = every
        self._speaks = speaks
        self._console = console(stderr=True, quiet=not speaks)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} steps"), TimeRemainingColumn(),
            TextColumn("{task.fields[rate]}"), console=self._console,
            disable=not (speaks and self._console.is_terminal),
            speed_estimate_period=_SPEED_PERIOD)
        self._heartbeat = Heartbeat(self._still, self.say)
        self._doing = ""
        self._pending = []
        self.scores: list[dict] = []
        self._since = time.perf_counter()
        self._log, self._task = TensorBoardLog(self._directory / "logs"), None

    def say(self, line: str) -> None:
        """Print a line."""
        self._console.print(line, soft_wrap=True)
        self._heartbeat.spoke()

    def start(self, position: Position) -> None:
        """Begin at a position: remove the lines of steps that will be run again.

        Raises:
          InputError: when the files cannot be written.
        """
        if not self._speaks:
            return
        if position.stage == len(self._stages):
            self.say("all stages are done already; nothing is trained")
        elif position != Position(0, 0):
            self.say(f"continuing at stage {position.stage + 1} of {len(self._stages)}, step "
                     f"{position.step:,}")
        path = self._directory / _METRICS
        kept = list(_until(position, path.read_text("utf-8"))) if path.exists() else []
        write_atomically(path, "".join(json.dumps(line) + "\n" for line in kept).encode())
        self.scores = [line for line in kept if line["split"] == "dev"]
        self._log.start(map(self._logged, kept))
        self._task = self._progress.add_task(
            "", total=sum(stage.steps for stage in self._stages),
            completed=self._total(position), rate="")

    def building(self, index: int, what: str) -> None:
        """Say what is done before a long call that is no step, such as building a graph."""
        if not self._speaks:
            return
        self._doing = f"{self._stages[index].name}: {what}"
        self._progress.update(self._task, description=self._doing)
        if not self._console.is_terminal:
            self.say(f"{self._doing} ...")

    def stepped(self, position: Position, scalars: dict) -> None:
        """Take the scalars of a step that is done; write a line if it is time."""
        if not self._speaks:
            return
        stage = self._stages[position.stage]
        self._doing = f"{stage.name} {position.step:,}/{stage.steps:,}"
        if not self._pending:
            self._progress.update(self._task, description=stage.name)
        self._pending.append(scalars)
        self._progress.update(self._task, completed=self._total(position))
        if position.step % self._every == 0 or (
                position.step == self._stages[position.stage].steps):
            self.flush(position)

    def flush(self, position: Position) -> None:
        """Write a line about the steps since the last one; a checkpoint does not hold them."""
        if not self._pending:
            return
        norms, tokens = ([float(scalars[name]) for scalars in self._pending]
                         for name in ("gradient_norm", "tokens"))
        means = {**self._means(self._stages[position.stage].active_losses),
                 "gradient_norm": sum(norms) / len(norms), "tokens": sum(tokens)}
        means["tokens_per_second"] = means["tokens"] / (time.perf_counter() - self._since)
        self._pending, self._since = [], time.perf_counter()
        self._progress.update(self._task, rate=f"loss {means['loss']:.4g}, "
                                               f"{means['tokens_per_second']:,.0f} tokens/s")
        self._write("train", position, means)

    def validated(self, index: int, means: dict) -> None:
        """Write a line about the validation split at the end of a stage."""
        if not self._speaks:
            return
        position = Position(index, self._stages[index].steps)
        self.say(f"{self._stages[index].name}: " + ", ".join(
            f"{name} {value:.4g}" for name, value in means.items()) + " (validation)")
        self._write("validation", position, means)
        self._since = time.perf_counter()

    def scored(self, position: Position, scores: dict) -> None:
        """Write a line of dev scores and of the seconds that they took; add it to `scores`."""
        index = position.stage
        values = {**scores, metrics_line.SECONDS: time.perf_counter() - self._since}
        self.scores.append(self._line("dev", position, values))
        if not self._speaks:
            return
        self.say(f"{self._stages[index].name} {position.step:,}/{self._stages[index].steps:,}: "
                 + ", ".join(f"dev {name} {value:.4f}" for name, value in scores.items()))
        self._write("dev", position, values)
        self._since = time.perf_counter()

    def __enter__(self):
        self._since = time.perf_counter()
        self._progress.start()
        if self._speaks and not self._console.is_terminal:
            self._heartbeat.__enter__()
        return self

    def __exit__(self, *_):
        self._progress.stop()
        self._heartbeat.__exit__()
        self._log.close()

    def _write(self, split, position, means):
        line = self._line(split, position, means)
        try:
            with open(self._directory / _METRICS, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
                if split == "dev":
                    # The checkpoint that follows relies on it, even after a loss of power.
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"cannot write {self._directory / _METRICS}: {reason(error)}; run it "
                             "again with the same arguments to continue from the last "
                             "checkpoint") from error
        self._log.write(*self._logged(line))
        if split == "train" and not self._console.is_terminal:
            self.say(f"{line['stage']} {position.step:,}/{self._stages[position.stage].steps:,}: "
                     f"loss {means['loss']:.4g}, {means['tokens_per_second']:,.0f} tokens/s")

    def _means(self, losses):
        """Return the means of the pending steps' losses, each over its own places."""
        measured = Measured(losses)
        for scalars in self._pending:
            measured.add({name: (scalars[name], scalars[f"{COUNT}{OBJECTIVES[name].over}"])
                          for name in losses})
        return measured.means()

    def _line(self, split, position, means):
        return {"split": split, "stage": self._stages[position.stage].name,
                "stage_index": position.stage, "step": position.step, **means}

    def _still(self, seconds):
        return f"{self._doing}: running for {seconds:,.0f} s" if self._doing else None

    def _logged(self, line):
        """Return what TensorBoard gets from a line: (step in the whole run, scalars by name)."""
        return self._total(Position(line["stage_index"], line["step"])), {
            f"{line['split']}/{name}": value for name, value in line.items()
            if name not in {*metrics_line.POSITION, metrics_line.SECONDS}}

    def _total(self, position):
        return position.step + sum(stage.steps for stage in self._stages[: position.stage])


def _until(position, text):
    """Yield the lines of a metrics.jsonl up to a position; skip what a kill left of a line."""
    for line in text.splitlines():
        with contextlib.suppress(InputError):
            values = metrics_line.parse(line, _METRICS)
            if Position(values["stage_index"], values["step"]) <= position:
                yield values
