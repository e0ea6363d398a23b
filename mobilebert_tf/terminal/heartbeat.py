"""Heartbeat: prints a line every 20 seconds during work that prints nothing itself."""

import threading
import time
from collections.abc import Callable

EVERY = 20


class Heartbeat:
    """Print a line every 20 seconds, from a thread, until the block ends.

    Args:
      message: returns the line for the seconds since the start; None for no line.
      say: prints a line.
      clock: returns the time in seconds.
      ended: is set at the end; the thread waits for it between lines.
    """

    def __init__(self, message: Callable[[float], str | None], say: Callable[[str], None],
                 clock: Callable[[], float] = time.monotonic,
                 ended: threading.Event | None = None):
        self._message, self._say, self._clock = message, say, clock
        self._ended = threading.Event() if ended is None else ended
        # A daemon, so that the process does not wait for it when it exits.
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._started = self._spoken = clock()

    def spoke(self) -> None:
        """Record that a line was printed; the next is due in 20 seconds."""
        self._spoken = self._clock()

    def __enter__(self):
        self._started = self._spoken = self._clock()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _beat(self):
        while not self._ended.wait(max(0.1, self._spoken + EVERY - self._clock())):
            now = self._clock()
            if now - self._spoken >= EVERY:
                line = self._message(now - self._started)
                self._spoken = now
                if line is not None:
                    self._say(line)
