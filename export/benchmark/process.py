"""Process: a worker of the benchmark in its own process, seen from both sides."""

import json
import os
import sys

from mobilebert_tf.child_process import ChildProcess
from mobilebert_tf.errors import InputError


class Process(ChildProcess):
    """A worker module that runs on a file: `python -m MODULE FILE ARGUMENTS`.

    Args:
      module: name of a module of this package.
      file: the file to open.
      arguments: further ones.
    Attributes: `opened`, the worker's answer when the file was open.
    Raises:
      InputError: if the worker answers with an error or ends; it names the file.
    """

    def __init__(self, module, file, *arguments):
        self._file = os.fspath(file)
        super().__init__([sys.executable, "-m", f"{__package__}.{module}", self._file,
                          *map(str, arguments)])

    def _answer(self):
        try:
            return super()._answer()
        except InputError as error:
            raise InputError(f"cannot benchmark {self._file}: {error}") from error


def serve(opened: dict, answer) -> None:
    """Run a worker: say that the file is open, then answer each request until input ends."""
    say(opened)
    for line in sys.stdin:
        say(answer(json.loads(line)))


def say(message: dict) -> None:
    print(json.dumps(message), flush=True)
