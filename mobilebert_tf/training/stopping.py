"""Stopping a run on request: SIGINT (Ctrl-C) and SIGTERM wait for the end of a step."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator


class Stopped(SystemExit):
    """A run was asked to stop, and did so behind a checkpoint; the exit status is a shell's."""

    def __init__(self, number: int):
        super().__init__(128 + number)


@contextlib.contextmanager
def stop_signals() -> Iterator[Callable[[], int | None]]:
    """Yields a function that tells the signal that asked to stop, None as long as none did.

    The same signal once more ends the process at once. Python gives signals to the main thread
    alone; in others nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    received = []

    def receive(number, _):
        received.append(number)
        signal.signal(number, before[number])

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number in before:
            signal.signal(number, receive)
        yield lambda: received[0] if received else None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
