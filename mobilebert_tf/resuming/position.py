"""Position: how far a run is."""

import dataclasses


@dataclasses.dataclass(frozen=True, order=True)
class Position:
    """The position of a run: its stage, counted from 0, and how many steps of it are done."""

    stage: int
    step: int
