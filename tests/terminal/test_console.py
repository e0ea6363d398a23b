"""How wide consoles are, and that no text steers them."""

import io

import pytest
from rich.text import Text

from mobilebert_tf.terminal import console as module
from mobilebert_tf.terminal.column import Column
from mobilebert_tf.terminal.table import Table


class _Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stderr", [False, True])
@pytest.mark.parametrize(("stream", "columns", "cut"), [
    (io.StringIO, None, False), (io.StringIO, "80", True), (_Terminal, "80", True)])
def test_a_pipe_gets_whole_lines_where_nothing_says_how_wide_it_is(
        stderr, stream, columns, cut, monkeypatch):
    file = stream()
    monkeypatch.setattr(f"sys.{'stderr' if stderr else 'stdout'}", file)
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    module.console(stderr).print("word " * 50)
    assert (len(file.getvalue().splitlines()) > 1) == cut


def test_a_terminal_says_itself_how_wide_it_is(monkeypatch):
    monkeypatch.setattr("sys.stdout", _Terminal())
    monkeypatch.delenv("COLUMNS", raising=False)
    assert module.console().width < 1000


def printed(*arguments, **settings):
    file = io.StringIO()
    module.SafeConsole(file=file, width=200, force_terminal=True, **settings).print(*arguments)
    return file.getvalue()


def test_text_cannot_steer_a_terminal():
    assert printed("a\x1b[31mred\x1b]0;title\x07 \x9b2J \u202etxt.exe\x7f\r\0") == (
        # rich itself leaves the bell and carriage returns out.
        "a\u241b[31mred\u241b]0;title \ufffd2J \ufffdtxt.exe\u2421\u2400\n")


def test_in_tables_neither():
    table = Table("\x1b[1mtitle", (Column("\x1b[2mhead", words=True),), [("\x1b[2Jcell",)])
    found = printed(table)
    assert "\u241b[1mtitle" in found
    assert "\u241b[2mhead" in found
    assert "\u241b[2Jcell" in found
    assert "\x1b[2J" not in found


def test_markup_and_emoji_are_text():
    assert printed("[bold red]:bomb: [link=http://x]y[/link] [/]") == (
        "[bold red]:bomb: [link=http://x]y[/link] [/]\n")


def test_our_own_style_stays():
    assert printed(Text("red", "red")) == "\x1b[31mred\x1b[0m\n"


def test_half_a_surrogate_pair_can_be_printed():
    assert printed("\ud83d.").encode() == "\ufffd.\n".encode()
