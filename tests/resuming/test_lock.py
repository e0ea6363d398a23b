"""Locks of directories, also where the file system has none."""

import errno
import fcntl

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.resuming.lock import locked


def test_a_directory_is_locked_once(tmp_path):
    said = []
    with locked(tmp_path / "run", "another process is training here"):
        with pytest.raises(InputError, match="another process is training here; wait for it"), \
                locked(tmp_path / "run", "another process is training here"):
            pass
        with locked(tmp_path / "other", "busy", said.append):
            pass
    with locked(tmp_path / "run", "another process is training here"):
        pass
    assert not said


def test_a_file_system_without_locks_is_no_error(tmp_path, monkeypatch):
    def refuse(file, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    entered = []
    with locked(tmp_path / "run", "busy"):
        entered.append(True)
    assert entered
