"""The command line, run in this process as the console script runs it."""

import sys

import pytest

from mobilebert_tf.cli.main import main


class Run:
    """What a command did: its exit status, and what it printed."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def mobilebert(monkeypatch, capfd):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["mobilebert", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        out, err = capfd.readouterr()
        return Run(exit.value.code or 0, out, err)

    return run
