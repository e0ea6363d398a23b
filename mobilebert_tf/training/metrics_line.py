"""Lines of metrics.jsonl: means of a run, with their position in it."""

from typing import Literal

import msgspec

from mobilebert_tf import records

POSITION = frozenset({"split", "stage", "stage_index", "step"})

# The field of a line of dev scores with the duration of scoring.
SECONDS = "seconds"


class _Position(msgspec.Struct):
    split: Literal["train", "validation", "dev"]
    stage: str
    stage_index: records.Count
    step: records.Count


def parse(line: str, name: str) -> dict[str, str | int | float]:
    """Return the fields of a line: those of `POSITION`, and means by name.

    Args:
      line: JSON.
      name: what messages call the line.
    Raises:
      InputError: for anything else, such as half a line that a kill left.
    """
    values = records.decode(line.encode(), dict[str, str | int | float], name)
    records.convert(values, _Position, name)
    return values


def scores(line: dict) -> dict[str, float]:
    """Return the scores of a line of the split `dev`, by name."""
    return {name: value for name, value in line.items() if name not in {*POSITION, SECONDS}}
