"""Lines of metrics.jsonl: a run's means, with where in the run they stand."""

from typing import Literal

import msgspec

from mobilebert_tf import records

POSITION = frozenset({"split", "stage", "stage_index", "step"})


class _Position(msgspec.Struct):
    split: Literal["train", "validation"]
    stage: str
    stage_index: records.Count
    step: records.Count


def parse(line: str, name: str) -> dict[str, str | int | float]:
    """The fields of a line: those of `POSITION`, the others are means.

    Args:
      line: JSON.
      name: what messages call it.
    Raises:
      InputError: for anything else, such as the half of a line that a kill left.
    """
    values = records.decode(line.encode(), dict[str, str | int | float], name)
    records.convert(values, _Position, name)
    return values
