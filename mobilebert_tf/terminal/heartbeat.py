"""Heartbeat: a line every 20 seconds from work that says nothing itself."""

import threading
import time
from collections.abc import Callable

EVERY = 20


class Heartbeat:
    """Says how long something has gone on, from a thread, until its block ends.

    Args:
      message: seconds since the start -> the line, or None for none.
      say: takes the line.
      clock: gives seconds.
      ended: set at the end; waited for in between.
    """

    def __init__(self, message: Callable[[float], str | None], say: Callable[[str], None],
                 clock: Callable[[], float] = time.monotonic,
                 ended: threading.Event | None = None):
        self._message, self._say, self._clock = message, say, clock
        self._ended = threading.Event() if ended is None else ended
        # A daemon: a process that is to end does not wait for it.
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._started = self._spoken = clock()

    def spoke(self) -> None:
        """Takes note that a line was said, so that the next is due 20 seconds from now."""
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
