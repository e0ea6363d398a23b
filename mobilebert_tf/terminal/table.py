"""Table: rows of text for a terminal, a pipe or Markdown."""

from collections.abc import Sequence

import rich.table
from rich import box
from rich.text import Text

from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.console import harmless

_UNLIMITED = 100_000
# Columns of words keep this width, if they need it; other columns are left out for them.
_WORDS = 24


class Table:
    """A table that `rich` prints; if it is too wide, the least important columns are left out.

    No cell is ever cut. A line below the table names the columns that were left out.

    Args:
      title: printed above the table.
      columns: the columns.
      rows: the cells of each row, without markup.
      has_header: whether the headings are shown.
    """

    def __init__(self, title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]],
                 has_header: bool = True):
        self.title = title
        self.columns = tuple(columns)
        self.rows = [tuple(row) for row in rows]
        self._has_header = has_header

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(column.heading for column in self.columns)

    def __rich_console__(self, console, options):
        shown = self._fitting(console, options)
        yield self._grid(shown)
        left = [column.heading for column in self.columns if column not in shown]
        if left:
            yield Text(f"Too wide for this terminal: {', '.join(left)}; --json FILE has all.")

    def markdown(self) -> str:
        """Return the table in Markdown, under its title; a cell may hold any character."""
        marks = ["---" if column.words else "---:" for column in self.columns]
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
                 for cells in (self.headings, marks, *self.rows)]
        return f"**{self.title}**\n\n" + "\n".join(lines) + "\n"

    def _fitting(self, console, options):
        """Return the columns that fit, in their order."""
        shown = list(self.columns)
        while any(column.rank for column in shown):
            measured = console.measure(
                self._grid(shown, breaks=False), options=options.update(width=_UNLIMITED))
            if measured.maximum <= options.max_width:
                break
            shown.remove(max(shown, key=lambda column: column.rank))
        return shown

    def _grid(self, shown, breaks=True):
        """Return the rich table of some columns; `breaks` tells whether words may break."""
        # Control characters are replaced before measuring, because they have no width.
        # A title may break, so it does not count when the width is measured.
        grid = rich.table.Table(
            title=Text(harmless(self.title), style="table.title") if breaks else None,
            title_justify="left",
            header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0),
            show_header=self._has_header)
        for column in shown:
            grid.add_column(Text(harmless(column.heading.replace(" ", "\n"))), overflow="fold",
                            no_wrap=not column.words,
                            max_width=_WORDS if column.words and not breaks else None,
                            justify="left" if column.words else "right")
        places = [self.columns.index(column) for column in shown]
        for row in self.rows:
            grid.add_row(*(Text(harmless(row[place])) for place in places))
        return grid
