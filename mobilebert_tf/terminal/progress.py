"""Progress: how far long work is."""

from collections.abc import Iterable

import rich.progress
from rich.console import Console
from rich.markup import escape

from mobilebert_tf.terminal.console import console as new_console
from mobilebert_tf.terminal.heartbeat import Heartbeat


class Progress:
    """A bar on a terminal, elsewhere a line every 20 seconds, while its block runs.

    Args:
      description: of the work.
      total: when it is done.
      unit: what is counted, in the plural.
      starting: what is done before the first of them, where that takes long.
      console: where; default standard error.
    """

    def __init__(self, description: str, total: int, unit: str = "batches",
                 starting: str | None = None, console: Console | None = None):
        self._description, self._total, self._unit = description, total, unit
        self._starting = starting
        self._console = console or new_console(stderr=True)
        self._done = 0
        self._bar = self._row = None
        self._shown = self._on_terminal() if self._console.is_terminal else Heartbeat(
            self.line, lambda line: self._console.print(line, markup=False, soft_wrap=True))

    def update(self, done: int, description: str | None = None) -> None:
        """Takes note that so many are done."""
        self._done = done
        self._description = description or self._description
        if self._bar is not None:
            self._bar.update(self._row, completed=done, description=escape(self._text()))

    def line(self, seconds: float) -> str:
        """What is said after so many seconds, where there is no terminal."""
        count = f"{self._done:,} of {self._total:,} {self._unit}"
        return f"{self._text()}: {count}, {seconds:.0f} s"

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


def track(batches: list, description: str = "Running") -> Iterable:
    """Gives the batches one by one, and shows how far they are."""
    with Progress(description, len(batches)) as progress:
        for done, batch in enumerate(batches):
            yield batch
            progress.update(done + 1)
