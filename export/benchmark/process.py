"""Process: a worker of the benchmark, in a process of its own."""

import json
import os
import sys

from mobilebert_tf.child_process import ChildProcess
from mobilebert_tf.errors import InputError


class Process(ChildProcess):
    """Runs a worker module on a file: `python -m MODULE FILE ARGUMENTS`.

    Args:
      module: name of a module of this package.
      file: what it works on; named in errors.
      arguments: further ones.
    Attributes: `opened`, what it said when the file was open.
    Raises:
      InputError: where the worker says an error, or ends.
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
    """The worker's side: says that the file is open, then answers each request until the end."""
    say(opened)
    for line in sys.stdin:
        say(answer(json.loads(line)))


def say(message: dict) -> None:
    print(json.dumps(message), flush=True)
