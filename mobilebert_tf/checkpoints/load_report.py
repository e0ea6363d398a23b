"""LoadReport: how each tensor of a checkpoint was used."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class LoadReport:
    """How each tensor of a checkpoint was used.

    `used`: tensor name -> variable name. `left_out`: tensor name -> the reason.
    """

    source: str
    used: dict[str, str]
    left_out: dict[str, str]
