"""Stopping a run: SIGINT (Ctrl-C) and SIGTERM end it after the current step."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator


class Stopped(SystemExit):
    """A signal stopped a run, which can be continued; exits with 128 + the signal."""

    def __init__(self, number: int):
        super().__init__(128 + number)


@contextlib.contextmanager
def stop_signals() -> Iterator[Callable[[], int | None]]:
    """Yield a function that returns the signal that was received, or None.

    The same signal once more ends the process at once. A signal that the process ignores stays
    ignored. Only the main thread receives signals; in other threads this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    received = []

    def receive(number, _):
        received.append(number)
        signal.signal(number, before[number])

    before = {number: handler for number in (signal.SIGINT, signal.SIGTERM)
              # A handler that is not Python's is None, and could not be set again.
              if (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None)}
    try:
        for number in before:
            signal.signal(number, receive)
        yield lambda: received[0] if received else None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
