"""EpochRecord: the losses and scores of a run's epochs, in epochs.json."""

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec

from mobilebert_tf import records
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.finetuning.result import FineTuningResult

_DEV = "val_"


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """epochs.json."""

    history: dict[str, list[float]]
    seconds: list[float]


class EpochRecord:
    """The losses, dev scores and seconds of the epochs that a run has done.

    Args:
      path: of the file.
      metric: name of the score that chooses the best epoch.
    """

    def __init__(self, path: Path, metric: str):
        self._path, self._metric = path, metric
        self._history, self._seconds = {}, []

    @property
    def epochs(self) -> int:
        """How many epochs are done."""
        return len(self._seconds)

    @property
    def seconds(self) -> float:
        """The duration of all epochs with their evaluation, over all processes of the run."""
        return sum(self._seconds)

    @property
    def result(self) -> FineTuningResult:
        """The result of the epochs so far; one must be done."""
        scores = self._history[_DEV + self._metric]
        best = scores.index(max(scores)) + 1
        return FineTuningResult(best, self._metric, {
            name.removeprefix(_DEV): values[best - 1]
            for name, values in self._history.items() if name.startswith(_DEV)}, self._history)

    @property
    def line(self) -> str:
        """The last epoch in one line."""
        numbers = ", ".join(f"{name.replace(_DEV, 'dev ', 1)} {values[-1]:.4f}"
                            for name, values in self._history.items())
        return f"epoch {self.epochs}: {numbers}, {self._seconds[-1]:.0f} s"

    def scalars(self, epoch: int) -> dict[str, float]:
        """Return the values of an epoch, from 1, by their names for TensorBoard."""
        return {(name.replace(_DEV, "validation/", 1) if name.startswith(_DEV)
                 else f"train/{name}"): values[epoch - 1]
                for name, values in self._history.items()}

    def add(self, values: Mapping[str, float], seconds: float) -> None:
        """Add an epoch: Keras's log of it, with the dev scores as `val_<name>`."""
        for name, value in values.items():
            self._history.setdefault(name, []).append(float(value))
        self._seconds.append(seconds)

    def write(self) -> None:
        """Write the file."""
        write_atomically(self._path, json.dumps(
            {"history": self._history, "seconds": self._seconds}, indent=2).encode() + b"\n")

    def read(self, epochs: int) -> None:
        """Take over the first epochs of the file, which may have one more.

        Raises:
          InputError: if the file cannot be read, or has fewer.
        """
        try:
            found = records.read(self._path, _File)
            if min(map(len, (found.seconds, *found.history.values()))) < epochs:
                raise InputError(f"{self._path} has fewer epochs than the checkpoint")
        except InputError as error:
            raise InputError(f"the run cannot be continued: {error}; choose another output "
                             "directory") from error
        self._history = {name: values[:epochs] for name, values in found.history.items()}
        self._seconds = found.seconds[:epochs]
