"""The command line, run in this process as the console script runs it."""

import sys

import pytest

from mobilebert_tf.cli.main import main
from mobilebert_tf.inference import opening
from mobilebert_tf.inference import predict as prediction


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


@pytest.fixture
def model(monkeypatch, tmp_path, letters, scripted):
    """kind, outputs -> the path of a model of this kind, which gives them."""

    def make(kind, outputs):
        runner = scripted(letters, outputs, kind)
        for module in (opening, prediction):
            monkeypatch.setattr(module, "open_model", lambda *arguments, **named: runner)
        (tmp_path / "model").mkdir(exist_ok=True)
        (tmp_path / "model" / "config.json").touch()
        return tmp_path / "model"

    monkeypatch.chdir(tmp_path)
    return make
