"""Process: a worker of its own process that answers one JSON line to each it is given."""

import contextlib
import json
import os
import subprocess
import sys

from ...errors import InputError


class Process:
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
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.{module}", self._file, *map(str, arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            self.opened = self._answer()
        except InputError:
            self.close()
            raise

    def ask(self, request) -> dict:
        """Sends a request; returns the answer."""
        # A dead process is told by the answer that does not come.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def _answer(self):
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {
            "error": f"its process ended with {self._process.wait()}"}
        if "error" in answer:
            raise InputError(f"cannot benchmark {self._file}: {answer['error']}")
        return answer


def serve(opened: dict, answer) -> None:
    """The worker's side: says that the file is open, then answers each request until the end."""
    say(opened)
    for line in sys.stdin:
        say(answer(json.loads(line)))


def say(message: dict) -> None:
    print(json.dumps(message), flush=True)
