"""Scores as `evaluate` prints them."""

from rich import box
from rich.markup import escape
from rich.table import Table

from mobilebert_tf.cli import output


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
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1))
    table.add_column(overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for name, found in parts.items():
        table.add_row(escape(name), *(_shown(found[column]) for column in columns))
    output.results.print(table)


def _shown(score):
    """Counts are whole numbers."""
    return f"{score:,}" if isinstance(score, int) else f"{score:.4f}"
