"""ChildProcess: a program that answers each JSON line with one."""

import contextlib
import json
import os
import subprocess
from collections.abc import Sequence

from mobilebert_tf.errors import InputError


class ChildProcess:
    """Runs a program that prints a JSON line when it is ready, and then one for each request.

    Args:
      command: the program and its arguments.
    Attributes:
      opened: the object of the first line.
    Raises:
      InputError: when the program does not exist, ends, or answers with an object that has the key
        `error`; `ask` raises it too.
    """

    def __init__(self, command: Sequence[str | os.PathLike]):
        try:
            self._process = subprocess.Popen(
                list(map(os.fspath, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True)
        except OSError as error:
            raise InputError(f"cannot run {command[0]}: {error.strerror}") from error
        try:
            self.opened = self._answer()
        except InputError:
            self.close()
            raise

    def ask(self, request) -> dict:
        """Send a request; return the answer."""
        # If the process has ended, reading its answer raises the error.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the program: it ends when its input is closed."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def _answer(self):
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {
            "error": f"its process ended with {self._process.wait()}"}
        if "error" in answer:
            raise InputError(answer["error"])
        return answer
