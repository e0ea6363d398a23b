"""Output: one output of an exported file, as clients see it."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Output:
    """One output of an exported file.

    Args:
      description: what the values are.
      per_token: whether there is a value for each token of a row, along the second axis.
      client_name: the name that the phone libraries look for; None for the output's own.
    """

    description: str
    per_token: bool = False
    client_name: str | None = None
