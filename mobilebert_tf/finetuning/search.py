"""Grid search: the same task with several settings, one directory each."""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.finetuning.settings import Settings

# What MobileBERT's authors are reported to have searched: larger rates and more epochs than BERT.
PAPER = {"batch_size": (16, 32, 48),
         "learning_rate": tuple(number * 1e-5 for number in range(1, 11)),
         "epochs": tuple(range(2, 11))}
_TYPES = {"learning_rate": float, "batch_size": int, "epochs": int, "length": int,
          "warmup_fraction": float, "weight_decay": float, "seed": int}


@dataclasses.dataclass(frozen=True)
class Row:
    """One of the grid: what was tried, where it lies, and a `Result`."""

    settings: Settings
    directory: Path
    result: object


def grid(settings: Settings, given: Sequence[str]) -> list[Settings]:
    """All combinations of the values given, the rest as in `settings`.

    Args:
      settings: of what the grid does not vary.
      given: "name=value,value" each, names of `Settings`; or "paper" for `PAPER`.
    Raises:
      InputError: for anything else.

    Example:
      >>> [one.seed for one in grid(Settings(), ["seed=1,2"])]
      [1, 2]
    """
    axes = {}
    for axis in given:
        axes.update(PAPER if axis == "paper" else _axis(axis))
    return [dataclasses.replace(settings, **dict(zip(axes, values, strict=True)))
            for values in itertools.product(*axes.values())]


def _axis(axis):
    name, _, values = axis.partition("=")
    if name not in _TYPES:
        raise InputError(f"--grid {axis} should be NAME=VALUES with one of {', '.join(_TYPES)}, "
                         "or paper")
    try:
        return {name: tuple(_TYPES[name](value) for value in values.split(","))}
    except ValueError as error:
        raise InputError(f"--grid {axis}: {error}") from error


def run(fine_tune: Callable, tried: Sequence[Settings], directory: Path) -> list[Row]:
    """Fine-tunes with each of the settings; those that are finished are not run again.

    Args:
      fine_tune: (settings, directory) -> `Result`.
      tried: see `grid`.
      directory: receives a directory each.
    """
    return [Row(settings, place, fine_tune(settings, place))
            for settings in tried for place in [directory / _name(settings)]]


def _name(settings):
    return (f"rate-{settings.learning_rate:g}-batch-{settings.batch_size}-epochs-{settings.epochs}"
            f"-length-{settings.length or 'task'}-warmup-{settings.warmup_fraction:g}"
            f"-decay-{settings.weight_decay:g}-seed-{settings.seed}")


def table(rows: Sequence[Row]):
    """A `rich` table of the settings that differ and all scores, best first."""
    from rich.table import Table

    varied = [field.name for field in dataclasses.fields(Settings)
              if len({getattr(row.settings, field.name) for row in rows}) > 1]
    best = sorted(rows, key=lambda row: row.result.score, reverse=True)
    shown = Table(*varied, "best epoch", *best[0].result.scores)
    for row in best:
        shown.add_row(*(f"{getattr(row.settings, name):g}" for name in varied),
                      str(row.result.best_epoch),
                      *(f"{score:.4f}" for score in row.result.scores.values()))
    return shown
