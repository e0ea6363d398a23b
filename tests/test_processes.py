"""Tests wait for what comes; what cannot come any more, or not in time, fails them."""

import subprocess
import sys

import pytest

from .processes import finish, kill, wait_for


@pytest.fixture
def start():
    """Code -> the process of it."""
    return lambda code: subprocess.Popen([sys.executable, "-c", code], text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_a_file_is_waited_for(start, tmp_path):
    process = start(f"import time; time.sleep(0.1); open({str(tmp_path / 'made')!r}, 'w'); "
                    "time.sleep(60)")
    wait_for((tmp_path / "made").exists, "the file", process)
    assert (tmp_path / "made").exists()
    kill(process)


def test_a_process_may_end_once_it_has_brought_it_about(start):
    ended = start("pass")
    ended.wait()
    looks = iter([False, True])  # between the two looks it was made
    wait_for(lambda: next(looks, True), "the file", ended)
    assert next(looks, None) is None


def test_the_end_of_its_process_is_noticed_at_once_and_ends_the_others(start):
    ended, other = start("raise SystemExit('no room')"), start("import time; time.sleep(60)")
    with pytest.raises(pytest.fail.Exception,
                       match=r"waited for the file, and process \d+ ended with status 1: no room"):
        wait_for(lambda: False, "the file", other, ended)
    assert other.wait() != 0


def test_what_takes_too_long_is_named_and_its_process_killed(start):
    process = start("import time; time.sleep(60)")
    with pytest.raises(pytest.fail.Exception, match=r"waited 0\.2 seconds for the file in vain"):
        wait_for(lambda: False, "the file", process, seconds=0.2)
    assert process.wait() != 0


def test_another_status_fails_with_what_was_printed(start):
    assert finish(start("print('done')")) == ["done\n"]
    with pytest.raises(AssertionError, match="no room"):
        finish(start("raise SystemExit('no room')"))
