"""Comparison: the systems of the field side by side."""

import dataclasses

from mobilebert_tf.export.comparison.compared_system import ComparedSystem


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The systems, and how our files were made and measured.

    Args:
      rows: a `ComparedSystem` for each system, in the field's order.
      length: tokens of each input.
      recipe: of our files.
      threads: with which the files were measured; empty if they were not.
      not_made: why a file could not be made, by preset.
      command: the command that makes it again, if there is one.
    """

    rows: list[ComparedSystem]
    length: int
    recipe: str
    threads: tuple[int, ...]
    not_made: dict[str, str]
    command: str
