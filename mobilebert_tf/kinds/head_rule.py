"""HeadRule: how a recipe computes operations of a kind's head."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class HeadRule:
    """How one recipe computes operations of a head, where that differs from the recipe's own rules.

    Args:
      recipe: the recipe's name.
      operations, arithmetic, scope: see `export.recipes.Rule`.
    """

    recipe: str
    operations: tuple[str, ...]
    arithmetic: str
    scope: str
