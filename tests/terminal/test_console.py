"""How wide consoles are."""

import io

import pytest

from mobilebert_tf.terminal import console as module


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
