"""Freed memory: glibc keeps it for the process, or gives it back to the system."""

import ctypes

# Of glibc's malloc.h. A trim threshold of -1 is none.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_MOST_MMAP_THRESHOLD = 32 << 20

_is_kept = False


def keep() -> None:
    """Make glibc keep freed memory for the next step, not give it back to the system.

    TensorFlow frees the buffers of a step and asks for the same sizes again. By default, glibc
    gives large buffers back to the system. The next step then takes new pages, and the kernel fills
    each with zeros. Without glibc this does nothing.

    Call it before threads are started: they may have heaps of their own.
    """
    global _is_kept
    _is_kept = True
    libc = ctypes.CDLL(None)
    if hasattr(libc, "gnu_get_libc_version"):
        for parameter, value in ((_M_ARENA_MAX, 1), (_M_MMAP_THRESHOLD, _MOST_MMAP_THRESHOLD),
                                 (_M_TRIM_THRESHOLD, -1)):
            libc.mallopt(parameter, value)


def keep_again() -> None:
    """Call `keep` again if the process has called it: a library may have changed the settings."""
    if _is_kept:
        keep()
