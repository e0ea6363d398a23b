"""Grid search: the same task with several settings, one directory each."""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args, get_type_hints

from mobilebert_tf.checks import check_several
from mobilebert_tf.errors import InputError
from mobilebert_tf.finetuning.diverged import Diverged
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table

# The search space that MobileBERT's authors report: larger rates and more epochs than BERT.
PAPER = {"batch_size": (16, 32, 48),
         "learning_rate": tuple(float(f"{number}e-5") for number in range(1, 11)),
         "epochs": tuple(range(2, 11))}

def _type(hint):
    """The type that a setting's text is converted to: of several, the first."""
    first = next(iter(get_args(hint)), hint)
    return first if isinstance(first, type) else type(first)


# Scores by different metrics cannot be compared.
_TYPES = {name: _type(hint) for name, hint in get_type_hints(FineTuningSettings).items()
          if name != "metric"}


@dataclasses.dataclass(frozen=True)
class GridRow:
    """One run of a grid.

    Args:
      settings: of the run.
      directory: of the run.
      result: the `FineTuningResult`; None if the loss became NaN in the first epoch.
    """

    settings: FineTuningSettings
    directory: Path
    result: object


def grid(settings: FineTuningSettings, given: Sequence[str]) -> list[FineTuningSettings]:
    """Return all combinations of the given values.

    Args:
      settings: the values of all other settings.
      given: "name=value,value" each, with the fields of `FineTuningSettings`; or "paper" for
        `PAPER`.
    Raises:
      InputError: for anything else, a single text, a name given twice, and values out of range.

    Example:
      >>> [one.seed for one in grid(FineTuningSettings(), ["seed=1,2"])]
      [1, 2]
    """
    found = axes(given)
    return [dataclasses.replace(settings, **dict(zip(found, values, strict=True)))
            for values in itertools.product(*found.values())]


def axes(given: Sequence[str]) -> dict[str, tuple]:
    """Return the values that a grid tries, by the name of the setting; as `grid` takes it."""
    check_several(grid=given)
    found = {}
    for axis in given:
        for name, values in (PAPER if axis == "paper" else _axis(axis)).items():
            if name in found:
                raise InputError(f"the grid {axis} gives {name} a second time")
            found[name] = values
    return found


def _axis(axis):
    name, _, values = axis.partition("=")
    if name not in _TYPES:
        raise InputError(f"the grid {axis} should be NAME=VALUES with one of {', '.join(_TYPES)}, "
                         "or paper")
    try:
        return {name: tuple(dict.fromkeys(_TYPES[name](value) for value in values.split(",")))}
    except ValueError as error:
        raise InputError(f"the grid {axis}: {error}") from error


def run(fine_tune: Callable, tried: Sequence[FineTuningSettings], directory: Path,
        say: Callable[[str], None]) -> list[GridRow]:
    """Fine-tune with each of the settings.

    A run that is finished is not run again. One that diverged is: it leaves no result.

    Args:
      fine_tune: (settings, directory) -> `FineTuningResult`, or raises `Diverged`.
      tried: the settings; see `grid`.
      directory: receives a directory per run.
      say: takes a line about each run that diverged.
    Raises:
      Diverged: if all runs diverged.
    """
    rows = []
    # The longest first: a model that has too few positions is refused before anything is trained.
    for settings in sorted(tried, key=lambda one: -(one.length or 0)):
        place = directory / _name(settings)
        try:
            rows.append(GridRow(settings, place, fine_tune(settings, place)))
        except Diverged as error:
            say(f"{place.name}: {error}")
            rows.append(GridRow(settings, place, None))
    if all(row.result is None for row in rows):
        raise Diverged("the loss of every run of the grid stopped being a number in the first "
                       "epoch; lower the learning rates")
    return rows


def best(rows: Sequence[GridRow]) -> GridRow:
    """Return the row with the best score; the first one of several equally good."""
    return _ranked(rows)[0]


def table(rows: Sequence[GridRow]) -> Table:
    """Return a table of the settings that differ and all scores, best first."""
    ranked = _ranked(rows)
    varied = [field.name for field in dataclasses.fields(FineTuningSettings)
              if len({getattr(row.settings, field.name) for row in rows}) > 1]
    names = list(ranked[0].result.scores)
    cells = []
    for row in ranked:
        found = (["diverged", *[""] * len(names)] if row.result is None else
                 [str(row.result.best_epoch),
                  *(f"{row.result.scores[name]:.4f}" for name in names)])
        cells.append((*(_shown(getattr(row.settings, name)) for name in varied), *found))
    return Table("", (
        *(Column(name) for name in varied), Column("best epoch", rank=1),
        # Of many classes there is a score each, after the metric.
        *(Column(name, rank=0 if index == 0 else 1 + index)
          for index, name in enumerate(names))), cells)


def _shown(value):
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _ranked(rows):
    return sorted(rows, reverse=True,
                  key=lambda row: float("-inf") if row.result is None else row.result.score)


def _name(settings):
    """A directory name that is different for different settings."""
    return ",".join(f"{name}={value}" for name, value in dataclasses.asdict(settings).items())
