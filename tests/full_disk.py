"""Disks without room: the system refuses to write, or to flush what was written."""

import contextlib
import errno
import os
import resource


@contextlib.contextmanager
def room_in_a_file(size):
    """Let no file of this process grow above so many bytes; the error is "File too large"."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def fill_after(flushes, monkeypatch):
    """Let so many flushes of files succeed; all later ones fail as those of a full disk do.

    Return a list that grows by each flush that is tried.
    """
    tried = []

    def fsync(descriptor):
        tried.append(descriptor)
        if len(tried) > flushes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)
    return tried
