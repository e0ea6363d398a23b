"""This machine, as measurements describe it."""

import os
import platform
from datetime import datetime, timezone
from pathlib import Path


def describe() -> str:
    """Return the processor, the number of cores and the system in one line."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory() -> int | None:
    """Return the bytes that a process can take before the system swaps; None if unknown."""
    try:
        found = Path("/proc/meminfo").read_text().split("MemAvailable:")[1]
    except (OSError, IndexError):
        return None
    return int(found.split()[0]) * 1024


def now() -> str:
    """Return the date and time, ISO 8601 in UTC."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
