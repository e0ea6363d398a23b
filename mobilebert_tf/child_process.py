"""ChildProcess: a program that answers one JSON line to each it is given."""

import contextlib
import json
import os
import subprocess
from collections.abc import Sequence

from mobilebert_tf.errors import InputError


class ChildProcess:
    """Runs a program, which says a line when it is ready and then one for each request.

    Args:
      command: the program and its arguments.
    Attributes: `opened`, what it said when it was ready.
    Raises:
      InputError: where there is no such program, and, of `ask` too, where it says an error, which
        is an object with `error`, or ends.
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
        """Sends a request; returns the answer."""
        # A dead process is told by the answer that does not come.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Ends it, which it does when nothing is left to read."""
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
