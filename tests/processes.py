"""Processes of the command line: how tests wait for them, end them and kill them."""

import contextlib
import signal
import socket
import subprocess
import sys
import time

import pytest

MAIN = "from mobilebert_tf.cli.main import main; main()"
COMMAND = (sys.executable, "-c", MAIN)
# Seconds until a process is given up: workers notice the end of another after minutes, and a
# machine may be busy.
ENOUGH = 900


class Killed(BaseException):
    """A run in the tests' own process ends as if that process were killed."""


def printed_by(process, seconds=ENOUGH):
    """Wait until a process ends; return what it wrote into its pipes."""
    try:
        return "".join(filter(None, process.communicate(timeout=seconds)))
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"process {process.pid} has not ended within {seconds} seconds")


def finish(*processes, status=0):
    """Wait until processes end, with this status; return what each of them printed."""
    printed = []
    try:
        for process in processes:
            printed.append(printed_by(process))
            assert process.returncode == status, printed[-1]
    finally:
        for process in processes:
            process.kill()
    return printed


def wait_for(ready, what, *processes, seconds=ENOUGH, pause=0.01):
    """Wait until `ready()` is true.

    Fail, and kill the processes, if one of them ends before or if it takes too long.

    Args:
      ready: function without arguments.
      what: a noun for what is waited for, for people.
      processes: those that bring it about.
      seconds: when it is too long.
      pause: seconds between two looks.
    """
    end = time.monotonic() + seconds
    try:
        while not ready():
            for process in processes:
                # It may have brought it about just now, and ended.
                if process.poll() is not None and not ready():
                    pytest.fail(f"waited for {what}, and process {process.pid} ended with status "
                                f"{process.returncode}: {printed_by(process, 10)}")
            if time.monotonic() > end:
                pytest.fail(f"waited {seconds} seconds for {what} in vain")
            time.sleep(pause)
    except BaseException:
        for process in processes:
            process.kill()
        raise


def kill(process):
    """Kill a process that is at work, as `kill -9` does."""
    process.kill()
    printed_by(process)
    assert process.returncode == -signal.SIGKILL


def free_ports(count):
    """So many ports of this machine at which nobody listens."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def at_any_moment(directory):
    return True


def in_the_write_of_a_checkpoint(directory):
    """Whether a run is writing a checkpoint now."""
    return any((directory / "checkpoints").glob(".stage-*"))
