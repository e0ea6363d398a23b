"""Table: rows of text, once for the terminal and once for Markdown."""

import dataclasses

import rich.table
from rich import box


@dataclasses.dataclass(frozen=True)
class Table:
    """A title, headings and rows; the first two columns are words, the others numbers."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def terminal(self) -> rich.table.Table:
        """For 80 columns: headings may break at spaces, the first column anywhere."""
        result = rich.table.Table(title=self.title, title_justify="left", header_style="bold",
                                  box=box.SIMPLE_HEAD, padding=(0, 1))
        for index, heading in enumerate(self.headings):
            result.add_column(
                heading.replace(" ", "\n"), overflow="fold", no_wrap=index > 0,
                min_width=10 if index == 0 else None, justify="left" if index < 2 else "right")
        for row in self.rows:
            result.add_row(*row)
        return result

    def markdown(self) -> str:
        marks = ["---" if index < 2 else "---:" for index in range(len(self.headings))]
        lines = ["| " + " | ".join(cells) + " |" for cells in (self.headings, marks, *self.rows)]
        return f"**{self.title}**\n\n" + "\n".join(lines) + "\n"


def counted(count: int, noun: str) -> str:
    """The count with its noun, in the plural where it is not one."""
    return f"{count} {noun}{'s' * (count != 1)}"
