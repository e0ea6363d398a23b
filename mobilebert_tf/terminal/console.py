"""Consoles: rich's, safe for any text, and not cut at 80 columns in a pipe."""

import os
import sys

from rich.console import Console
from rich.segment import Segment

# A pipe has no width; its reader wants whole lines.
_PIPE_WIDTH = 100_000

# Printed texts may come from files. Control characters are replaced by their pictures (ESC by
# U+241B). Other characters with an effect on a terminal become U+FFFD: C1 controls, characters that
# change the direction of writing, and halves of surrogate pairs, which cannot be written.
_HARMLESS = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: "\u2421",
    **dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A),
                     *range(0xD800, 0xE000)), "\ufffd"),
}


def harmless(text: str) -> str:
    """Replace characters that control a terminal."""
    return text.translate(_HARMLESS)


class SafeConsole(Console):
    """rich's console, for any text.

    Markup is off unless a call asks for it, emoji codes such as ":b:" are printed as they are, and
    characters that control a terminal are replaced.
    """

    def __init__(self, **settings):
        super().__init__(**{"markup": False, "emoji": False, "highlight": False, **settings})

    def render(self, renderable, options=None):
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(
                harmless(segment.text), segment.style)


def console(stderr: bool = False, **settings) -> SafeConsole:
    """Return a console on standard output or standard error, as wide as the terminal or COLUMNS."""
    stream = sys.stderr if stderr else sys.stdout
    is_terminal = stream is not None and stream.isatty()  # None if it is closed
    width = None if "COLUMNS" in os.environ or is_terminal else _PIPE_WIDTH
    return SafeConsole(stderr=stderr, width=width, **settings)
