"""Commands that take files know shipped models by short names, and packages by their paths."""

import importlib

import pytest
from typer.testing import CliRunner

from mobilebert_tf.cli.main import app
from mobilebert_tf.errors import InputError


@pytest.mark.parametrize("path", ["./sst2", "sst2/"])
@pytest.mark.parametrize("arguments", [
    ("predict", "good"), ("evaluate", "--task", "sst2", "--dev", "dev.tsv"), ("lengths",
     "--texts", "dev.tsv"), ("package", "--android", "assets"), ("benchmark", "--files")])
def test_a_path_that_does_not_exist_is_no_name(path, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dev.tsv").write_text("sentence\tlabel\ngood\t1\n")
    command, *others = arguments
    if command == "benchmark":
        others, path = [], f"--files={path}"
    done = CliRunner().invoke(app, [command, path, *others])
    assert isinstance(done.exception, InputError)
    assert "sst2" in str(done.exception)
    assert "known there" not in str(done.exception)


@pytest.mark.parametrize(("command", "module", "function", "options"), [
    ("check-arm", "verify.emulated_arm", "check", ()),
    ("check-gpu", "verify.gpu", "check", ()),
    ("benchmark-phone", "benchmark.phone", "measure", ("--tool", "tool"))])
def test_files_are_those_of_the_models(command, module, function, options, repository, monkeypatch):
    taken = []

    def take(files, *_, **__):
        taken.extend(files)
        raise InputError("enough")

    monkeypatch.setattr(importlib.import_module(f"mobilebert_tf.export.{module}"), function, take)
    package = repository / "models/mobilebert_mini_intent"
    done = CliRunner().invoke(app, [command, "mini_sst2", str(package), *options])
    assert str(done.exception) == "enough"
    assert [file.name for file in taken] == [
        "mobilebert_mini_sst2_int8.tflite", "mobilebert_mini_intent_int8.tflite"]
