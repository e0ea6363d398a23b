"""Files on an emulated Arm processor. Tests that download the emulator are slow ones."""

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import mobilebert_tf as mb
from mobilebert_tf.cli.main import app
from mobilebert_tf.export import RECIPES
from mobilebert_tf.export.benchmark import random_weights
from mobilebert_tf.export.verify import agreement, answers, downloads, emulated_arm

from ..conftest import LENGTH
from .debian_tools import needs_debian_tools

KINDS = ("classification", "question_answering", "tagging")


@pytest.fixture
def file(exported, tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(exported("classification", "float32").model)
    return path


@pytest.mark.slow
@needs_debian_tools
@pytest.mark.parametrize("recipe", RECIPES)
def test_files_of_every_recipe_answer_on_arm_as_here(exported, recipe, tmp_path):
    files = []
    for kind in KINDS:
        files.append(tmp_path / f"{kind}.tflite")
        files[-1].write_bytes(exported(kind, recipe).model)
    for check, outputs in zip(emulated_arm.check(files), (1, 2, 1), strict=True):
        assert check.passed, check
        assert check.recipe == recipe
        assert check.agreement.outputs == outputs
        assert check.agreement.same_best > 0.9


@pytest.mark.slow
@needs_debian_tools
def test_full_size_mobilebert_answers_on_arm_as_here(tmp_path):
    path = tmp_path / "mobilebert.tflite"
    path.write_bytes(mb.export.to_tflite(
        random_weights.classifier("mobilebert"), "dynamic_int8", (16, 32)).model)
    check, = emulated_arm.check([path])
    assert check.passed, check
    assert check.agreement.outputs == 2, "one of each length"
    assert check.agreement.same_best == 1


@pytest.mark.slow
@needs_debian_tools
def test_it_is_another_processor_that_answers(file, monkeypatch, tmp_path):
    """The emulated worker runs on aarch64, and no time is reported."""
    emulated_arm.check([file])
    script = tmp_path / "machine.py"
    script.write_text("import platform, sys\nsys.exit('Error: ' + platform.machine())\n")
    monkeypatch.setattr(answers, "on_this_cpu", lambda file, inputs: {})
    monkeypatch.setattr(answers, "WORKER", script)
    check, = emulated_arm.check([file])
    assert check.problem == "aarch64"
    assert not check.passed
    done = CliRunner().invoke(app, ["check-arm", str(file), "--json", str(tmp_path / "out.json")])
    assert done.exit_code == 1
    assert "it does not run: aarch64" in done.output
    written, = json.loads((tmp_path / "out.json").read_text())["checks"]
    assert not [name for name in written if "ms" in name or "time" in name or "latency" in name]


def test_inputs_are_rows_of_three_lengths(file):
    inputs = answers.sample_inputs(file)
    assert sorted(inputs) == [f"serving_default/{row}/{name}" for row in range(3)
                              for name in ("ids", "mask", "segment_ids")]
    assert [int(inputs[f"serving_default/{row}/mask"].sum()) for row in range(3)] == [
        3, LENGTH // 2, LENGTH]
    ids = inputs["serving_default/2/ids"]
    assert ids.shape == (1, LENGTH)
    assert 0 <= ids.min() < 40 < 80 < ids.max() < 120
    assert set(inputs["serving_default/1/segment_ids"].ravel()) == {0, 1}


def test_answers_here_are_the_runners(file):
    inputs = answers.sample_inputs(file)
    expected = mb.export.Runner(file)({
        keras: np.concatenate([inputs[f"serving_default/{row}/{name}"] for row in range(3)])
        for keras, name in (("input_word_ids", "ids"), ("input_mask", "mask"),
                            ("input_type_ids", "segment_ids"))})
    given = answers.on_this_cpu(file, inputs)
    np.testing.assert_array_equal(expected["probabilities"], np.concatenate(
        [given[f"serving_default/{row}/probabilities"] for row in range(3)]))


def test_differences_are_of_the_largest_value_of_an_output():
    here = {"s/0/a": np.float32([[1, -4]]), "s/1/a": np.float32([[2, 1]]),
            "s/0/b": np.float32([[100, 0]]), "s/1/b": np.float32([[0, 1]])}
    there = {**here, "s/1/a": np.float32([[2, 3]]), "s/0/b": np.float32([[101, 0]])}
    assert agreement.compare(here, there) == agreement.Agreement(
        outputs=2, max_difference=2.0, max_relative_difference=0.5, same_best=0.75)
    assert agreement.compare(here, here).max_relative_difference == 0
    broken = agreement.compare(here, {**here, "s/0/b": np.float32([[np.nan, 0]])})
    assert broken.max_relative_difference == float("inf")
    with pytest.raises(ValueError, match="the same names"):
        agreement.compare(here, {"s/0/a": here["s/0/a"]})


def test_quantized_files_may_differ_more_than_float_ones():
    assert agreement.bound("float32") == agreement.bound("float16") == 1e-5
    assert agreement.bound("dynamic_int8") == agreement.bound(None) == 0.05


def test_files_that_cannot_be_checked_are_named(tmp_path):
    path = tmp_path / "other.tflite"
    path.write_bytes(b"no model at all")
    with pytest.raises(mb.InputError, match="cannot check .*other.tflite"):
        emulated_arm.check([path])
    with pytest.raises(mb.InputError, match="cannot check .*absent.tflite"):
        emulated_arm.check([tmp_path / "absent.tflite"])


def test_other_systems_are_told_what_is_needed(file, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(downloads.shutil, "which", lambda program: None)
    with pytest.raises(mb.InputError, match="needs a Debian system.*no apt-get here"):
        emulated_arm.check([file])
    assert not list((tmp_path / "cache").rglob("*/*/*")), "nothing half-prepared may stay"


@pytest.mark.parametrize(("fails", "sentence"), [
    ("update", "apt-get cannot download some-package: The repository cannot be reached"),
    ("download", "apt-get cannot download some-package: Unable to locate package")])
def test_apts_own_words_are_passed_on(monkeypatch, tmp_path, fails, sentence):
    said = sentence.rpartition(": ")[2]

    def run(command, **settings):
        failed = fails in command
        return subprocess.CompletedProcess(
            command, 100 if failed else 0, "", f"W: some warning\nE: {said}\n" if failed else "")

    monkeypatch.setattr(downloads.shutil, "which", lambda program: program)
    monkeypatch.setattr(downloads.subprocess, "run", run)
    with pytest.raises(mb.InputError, match=sentence):
        downloads.unpack(["some-package"], tmp_path)


def test_a_package_that_cannot_be_unpacked_is_named(monkeypatch, tmp_path):
    def run(command, cwd=None, **settings):
        if command[0] == "dpkg-deb":
            return subprocess.CompletedProcess(command, 2, "", "dpkg-deb: error: cut short\n")
        (cwd / "some-package_1.deb").touch()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(downloads.shutil, "which", lambda program: program)
    monkeypatch.setattr(downloads.subprocess, "run", run)
    with pytest.raises(mb.InputError, match=r"dpkg-deb cannot unpack some-package_1\.deb into .*: "
                                            "dpkg-deb: error: cut short"):
        downloads.unpack(["some-package"], tmp_path)


def test_wheels_that_cannot_be_had_are_named(monkeypatch, tmp_path):
    def unpack(packages, directory, *_, **__):
        place = tmp_path / "unpacked" if directory == tmp_path else type(tmp_path)(directory)
        (place / "usr/bin").mkdir(parents=True, exist_ok=True)
        for name in ("qemu-aarch64-static", "python3.11"):
            (place / "usr/bin" / name).touch()

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(downloads, "unpack", unpack)
    monkeypatch.setattr(emulated_arm.subprocess, "run", lambda command, **_:
                        subprocess.CompletedProcess(command, 1, "", "ERROR: No matching wheel\n"))
    with pytest.raises(mb.InputError, match="for aarch64 and python3.11: No matching wheel"):
        downloads.cached("arm/x", lambda place: emulated_arm._prepare(place, "9.9", print))
    assert not (tmp_path / "cache/mobilebert-tf/arm/x").exists()


def test_what_is_cached_is_prepared_once(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    calls = []

    def prepare(place):
        calls.append(place)
        (place / "file").touch()

    assert downloads.cached("a/b", prepare) == downloads.cached("a/b", prepare)
    assert len(calls) == 1
    assert (tmp_path / "mobilebert-tf/a/b/file").exists()


def test_a_worker_that_fails_tells_why(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text("print('INFO: Error: no')\nraise ValueError('it is broken')\n")
    outputs, log = answers.run([sys.executable, script], tmp_path / "x", {})
    assert outputs is None
    assert answers.reason(log) == "it is broken"
    script.write_text("import os\nos.abort()\n")
    assert answers.reason(answers.run([sys.executable, script], "x", {})[1]) == (
        "its process ended with -6")
