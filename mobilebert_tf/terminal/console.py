"""Consoles: rich's, which a pipe does not cut at 80 columns."""

import os
import sys

from rich.console import Console

# A pipe has no width: what reads it wants whole lines.
_PIPE_WIDTH = 100_000


def console(stderr: bool = False, **settings) -> Console:
    """A console on standard output or standard error, as wide as the terminal or COLUMNS.

    No emoji: texts are shown as they are, ":b:" too.
    """
    stream = sys.stderr if stderr else sys.stdout
    width = None if "COLUMNS" in os.environ or stream.isatty() else _PIPE_WIDTH
    return Console(stderr=stderr, highlight=False, emoji=False, width=width, **settings)
