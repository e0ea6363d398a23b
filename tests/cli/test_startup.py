"""A command's streams take every text. Its temporary directory is its own, and that of a killed one
is removed by the next."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile

import pytest

from mobilebert_tf.cli import startup
from mobilebert_tf.errors import InputError

WITHIN = ("import os, subprocess, sys, tempfile; from mobilebert_tf.cli import startup\n"
          "with startup.own_temporary_directory():\n    ")
LEAVE = WITHIN + "tempfile.mkstemp(); os.kill(os.getpid(), 9)"


def run(code, temporary):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={**os.environ, "TMPDIR": str(temporary)})


def test_the_process_and_its_children_use_it_until_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = dict(os.environ)
    with startup.own_temporary_directory():
        (own,) = tmp_path.iterdir()
        with tempfile.NamedTemporaryFile() as file:
            assert os.path.dirname(file.name) == str(own)
        child = subprocess.run([sys.executable, "-c", "import tempfile; print(tempfile.mkdtemp())"],
                               capture_output=True, text=True, check=True)
        assert os.path.dirname(child.stdout.strip()) == str(own)
    assert not list(tmp_path.iterdir())
    assert tempfile.gettempdir() == str(tmp_path)
    assert dict(os.environ) == before


def test_a_block_may_have_the_systems(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with startup.own_temporary_directory():
        own = tempfile.gettempdir()
        with startup.system_temporary_directory():
            assert os.environ["TMPDIR"] == tempfile.gettempdir() == str(tmp_path)
        assert os.environ["TMPDIR"] == tempfile.gettempdir() == own
    assert tempfile.gettempdir() == str(tmp_path)


def test_what_a_killed_command_left_the_next_one_removes(tmp_path):
    (tmp_path / "of others").touch()
    assert run(LEAVE, tmp_path).returncode == -signal.SIGKILL
    (left,) = tmp_path.glob("*/tmp*")
    done = run(WITHIN + "assert not os.path.exists(sys.argv[1])".replace("sys.argv[1]",
                                                                         repr(str(left))), tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["of others"]


def test_without_a_place_the_user_is_told_to_name_one(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/absent"])
    with pytest.raises(InputError, match="set TMPDIR"), startup.own_temporary_directory():
        pass


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write"), startup.own_temporary_directory():
        raise AssertionError("should not get here")


@pytest.mark.parametrize("module", ["apache_beam", "google_crc32c"])
def test_a_job_without_its_modules_names_the_extra(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=f"needs {module.replace('_', '-')}: .* extra `corpus`$"):
        startup.beam("corpus", "google_crc32c")


PRINT = ("import os, sys; from mobilebert_tf.cli import output, startup\n"
         "startup.printable_streams()\n"
         "file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\n"
         "output.results.print('a result'), output.progress.print('progress')\n"
         "os.system('echo of a child; echo of a child >&2'), os.write(file, b'own')")


@pytest.mark.parametrize("closed", [[1], [2], [1, 2], [0, 1, 2]])
def test_no_file_takes_the_place_of_a_closed_stream(closed, tmp_path):
    command = shlex.join([sys.executable, "-c", PRINT, str(tmp_path / "file")])
    closing = " ".join(f"{number}>&-" for number in closed)
    done = subprocess.run(f"{command} {closing}", shell=True, capture_output=True, text=True,
                          check=True)
    assert (tmp_path / "file").read_text() == "own"
    assert done.stdout == ("" if 1 in closed else "a result\nof a child\n")
    assert done.stderr == ("" if 2 in closed else "progress\nof a child\n")


def test_a_character_that_the_output_lacks_is_printed_as_an_escape():
    done = subprocess.run(
        [sys.executable, "-c", "from mobilebert_tf.cli import output, startup\n"
         "startup.printable_streams(); output.results.print('é 日')"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"}, capture_output=True, check=True)
    assert done.stdout == b"\xe9 \\u65e5\n"


KERAS = """
import sys
from mobilebert_tf.cli import startup
startup.quiet_tensorflow()
import tensorflow as tf
import tf_keras
print("keras" in sys.modules, tf.keras.Model is tf_keras.Model)
"""


@pytest.mark.parametrize(("environment", "imported"), [
    ({}, "False True"), ({"TF_USE_LEGACY_KERAS": "0"}, "True False")])
def test_keras_3_is_imported_only_for_those_who_ask(environment, imported):
    inherited = {name: value for name, value in os.environ.items() if name != "TF_USE_LEGACY_KERAS"}
    done = subprocess.run([sys.executable, "-c", KERAS], env=inherited | environment,
                          capture_output=True, text=True, check=True)
    assert done.stdout.strip() == imported
