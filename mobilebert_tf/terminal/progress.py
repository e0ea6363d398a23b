"""Progress: shows how far long work is."""

from collections.abc import Iterable

import rich.progress
from rich.console import Console
from rich.markup import escape

from mobilebert_tf.terminal.console import console as new_console
from mobilebert_tf.terminal.heartbeat import Heartbeat


class Progress:
    """Show a bar on a terminal, elsewhere a line every 20 seconds, while the block runs.

    Args:
      description: the work, such as "Measuring".
      total: number of units; None until `update` tells it.
      unit: what is counted, in the plural.
      starting: what happens before the first unit is done, if that takes long.
      console: where to print; default standard error.
    """

    def __init__(self, description: str, total: int | None, unit: str = "batches",
                 starting: str | None = None, console: Console | None = None):
        self._description, self._total, self._unit = description, total, unit
        self._starting = starting
        self._console = console or new_console(stderr=True)
        self._done = 0
        self._bar = self._row = None
        self._shown = self._on_terminal() if self._console.is_terminal else Heartbeat(
            self.line, lambda line: self._console.print(line, markup=False, soft_wrap=True))

    def update(self, done: int, description: str | None = None, total: int | None = None) -> None:
        """Show that so many units are done; None leaves description and total as they are."""
        self._done = done
        self._description = description or self._description
        self._total = self._total if total is None else total
        if self._bar is not None:
            self._bar.update(self._row, completed=done, total=self._total,
                             description=escape(self._text()))

    def track(self, batches: list, description: str) -> Iterable:
        """Yield the batches one by one, and show how many are done in place of what was shown."""
        for done, batch in enumerate(batches):
            self.update(done, description, len(batches))
            yield batch

    def line(self, seconds: float) -> str:
        """Return the line that is printed after so many seconds if there is no terminal."""
        count = "" if self._total is None else f" {self._done:,} of {self._total:,} {self._unit},"
        return f"{self._text()}:{count} {seconds:.0f} s"

    def __enter__(self):
        self._shown.__enter__()
        return self

    def __exit__(self, *error):
        self._shown.__exit__(*error)

    def _text(self):
        if not self._done and self._starting:
            return f"{self._description}, {self._starting}"
        return self._description

    def _on_terminal(self):
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}"), rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(), rich.progress.TimeElapsedColumn(),
            rich.progress.TimeRemainingColumn(), console=self._console, transient=True)
        self._row = self._bar.add_task(escape(self._text()), total=self._total)
        return self._bar


def track(batches: list, description: str = "Running", unit: str = "batches") -> Iterable:
    """Yield the batches one by one and show the progress."""
    with Progress(description, len(batches), unit) as progress:
        for done, batch in enumerate(batches):
            yield batch
            progress.update(done + 1)
