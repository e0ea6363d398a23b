"""Files of stages, and the stages that a user gives as arguments."""

import dataclasses
import json
import os
from collections.abc import Sequence

from mobilebert_tf import records
from mobilebert_tf.checks import check_several
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.training.stage import Stage


def save(path: str | os.PathLike, stages: tuple[Stage, ...]) -> None:
    """Write stages as JSON, which `load` reads and people may edit."""
    write_atomically(path, json.dumps(to_json(stages), indent=2).encode() + b"\n")


def to_json(stages: tuple[Stage, ...]) -> list[dict]:
    """Return stages as JSON values: a list of objects with the fields of `Stage`."""
    return [dataclasses.asdict(stage) for stage in stages]


def load(path: str | os.PathLike) -> tuple[Stage, ...]:
    """Read stages from a JSON file: a list of objects with the fields of `Stage`.

    Raises:
      InputError: for a file that is no such list, or two stages of one name.
    """
    return _checked(tuple(records.read(path, list[Stage])), path)


def from_arguments(stages: str | os.PathLike | Sequence[Stage] | None,
                   blocks: Sequence[int] | None) -> tuple[Stage, ...] | None:
    """Return the stages that a user gives instead of a plan's; None where there are none.

    Args:
      stages: stages, or a JSON file of them.
      blocks: which of the teacher's blocks a plan compares.
    Raises:
      InputError: as `load` does; for no stages, or two of one name; and for `blocks` beside
        stages, which name their own.
    """
    if stages is None:
        return None
    if blocks is not None:
        raise InputError("leave out blocks: stages name the blocks that they compare")
    return (load(stages) if isinstance(stages, str | os.PathLike)
            else _checked(_of_stages(stages), "the argument stages"))


def _of_stages(given):
    check_several(stages=given)
    stages = tuple(given)
    if others := [type(one).__name__ for one in stages if not isinstance(one, Stage)]:
        raise InputError(f"stages should be of the class Stage, or a JSON file of them. Received: "
                         f"a {others[0]}")
    return stages


def _checked(stages, place):
    names = [stage.name for stage in stages]
    if not stages or len(set(names)) < len(names):
        raise InputError(f"{place} should hold stages of different names. Received: {names}")
    return stages
