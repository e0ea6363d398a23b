"""Waiting: tells what a long call does."""

import contextlib
from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape

from mobilebert_tf.terminal.console import console as new_console
from mobilebert_tf.terminal.heartbeat import Heartbeat


@contextlib.contextmanager
def waiting(what: str, console: Console | None = None) -> Iterator[None]:
    """Print what the block does, with a spinner on a terminal, elsewhere as lines.

    Args:
      what: the work, such as "Building mobilebert".
      console: where to print; default standard error.
    """
    console = console or new_console(stderr=True)

    def say(line):
        console.print(line, markup=False, soft_wrap=True)

    if console.is_terminal:
        with console.status(f"{escape(what)} ..."):
            yield
        return
    say(f"{what} ...")
    with Heartbeat(lambda seconds: f"{what}: {seconds:.0f} s so far", say):
        yield
