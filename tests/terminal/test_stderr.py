"""Native messages are hidden, and shown when something fails."""

import os

import pytest

from mobilebert_tf.terminal.stderr import kept_aside


def test_messages_of_a_block_that_succeeds_are_hidden(capfd):
    with kept_aside() as stream:
        os.write(2, b"noise\n")
        os.system("echo of a child >&2")
        print("heard", file=stream)
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "heard\nafter\n"


@pytest.mark.parametrize(("error", "shown"), [(KeyError, ""), (ValueError, "noise\n")])
def test_messages_of_a_block_that_fails_are_shown_unless_it_was_expected(error, shown, capfd):
    def fail():
        os.write(2, b"noise\n")
        raise error("bad")

    with pytest.raises(error), kept_aside(KeyError):
        fail()
    assert capfd.readouterr().err == shown
