"""The Task Library of TensorFlow Lite Support, in an environment of its own.

Its last release, of 2023, wants NumPy 1 and protobuf 3, and has wheels up to Python 3.11.
"""

import json
import pathlib
import shutil
import sys

from .installing import Missing, installed_once, run

# What its wheel holds: files that ask for a newer runtime are refused.
RUNTIME = (2, 13)
REQUIREMENTS = ("tflite-support==0.4.4", "numpy<2", "protobuf<4")
_PYTHONS = ((3, 11), (3, 10))
_SCRIPT = pathlib.Path(__file__).with_name("run_task_library.py")


class TaskLibrary:
    """Asks the library about files; installs it into `directory` where it is not there yet."""

    def __init__(self, directory):
        interpreter = _interpreter()
        environment = directory / "task_library"
        self._python = environment / "bin" / "python"
        with installed_once(environment, (interpreter, *REQUIREMENTS)) as is_new:
            if is_new:
                run(interpreter, "-m", "venv", "--without-pip", environment)
                run(sys.executable, "-m", "pip", "--python", self._python, "install", "--quiet",
                    "--disable-pip-version-check", "--only-binary=:all:", *REQUIREMENTS)
        self.ask([])  # a shared library of the system that it needs may be missing

    def ask(self, requests):
        """Returns the answers to a list of requests; see run_task_library.py."""
        return json.loads(run(self._python, _SCRIPT, input=json.dumps(requests)))


def _interpreter():
    if sys.version_info[:2] in _PYTHONS:
        return sys._base_executable  # not the one of a virtual environment
    for major, minor in _PYTHONS:
        found = shutil.which(f"python{major}.{minor}")
        if found:
            return found
    raise Missing("it has no wheel for this Python, and there is no python3.11 or python3.10")
