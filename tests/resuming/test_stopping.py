"""Signals end a run when it looks, or at once when they come twice."""

import os
import signal

import pytest

from mobilebert_tf.resuming.stopping import Stopped, stop_signals


@pytest.fixture(autouse=True)
def handlers():
    """The handlers of a command in the foreground. Those of before are set again."""
    ours = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in ours.items()}
    yield ours
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_noted_and_the_handlers_are_set_again(handlers, number):
    with stop_signals() as stop:
        assert stop() is None
        os.kill(os.getpid(), number)
        assert stop() == number
    assert {one: signal.getsignal(one) for one in handlers} == handlers
    assert Stopped(number).code == 128 + number


def test_the_same_signal_once_more_ends_the_process_at_once():
    with stop_signals() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        assert stop() == signal.SIGINT


def test_an_ignored_signal_stays_ignored():
    """As Ctrl-C is for a command that a script has started in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with stop_signals() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop() is None
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
