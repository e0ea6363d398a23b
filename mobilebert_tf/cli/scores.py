"""Scores as `evaluate` prints them."""

from mobilebert_tf.cli import output
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table


def show(scores: dict, parts: dict[str, dict]) -> None:
    """Prints the scores, and those of each part in a table.

    Args:
      scores: by name.
      parts: scores by the name of a part, a class or a type; all have the same scores.
    """
    for name, score in scores.items():
        output.results.print(f"  {name} {_shown(score)}")
    if not parts:
        return
    columns = list(next(iter(parts.values())))
    output.results.print(Table(
        "", (Column("", words=True), *map(Column, columns)),
        [(name, *(_shown(found[column]) for column in columns))
         for name, found in parts.items()]))


def _shown(score):
    """Counts are whole numbers."""
    return f"{score:,}" if isinstance(score, int) else f"{score:.4f}"
