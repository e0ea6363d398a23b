"""What the Apache Beam jobs share: the runner, its errors, and the progress by reports on disk."""

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from mobilebert_tf.errors import InputError

_POLL_SECONDS = 0.5
_RUNNER = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"

# `Path` has already made s3:/bucket of s3://bucket.
_ADDRESS = re.compile(r"[a-z][a-z0-9]+:/")
# The last line of a worker's traceback, to which Beam adds the name of its step.
_INPUT_ERROR = re.compile(
    rf"^{re.escape(InputError.__module__)}\.InputError: (.*?)(?: \[while running .*\])?$")


def check_output(directory: str | os.PathLike) -> None:
    """Raise InputError if a directory is an address in an object store, such as s3://bucket."""
    if _ADDRESS.match(os.fspath(directory)):
        raise InputError(f"cannot write to {directory}: only texts are read from object stores; "
                         "choose a directory that all workers see, and copy it afterwards")


@contextlib.contextmanager
def pipeline(workers: int, flags: Sequence[str]) -> Iterator[beam.Pipeline]:
    """Yield a pipeline, and run it when the block ends.

    It runs on Beam's local runner, or on the runner that the flags name.

    Args:
      workers: processes of the local runner; 1 does the work in this process.
      flags: Apache Beam's own flags, such as `--runner`; they override ours.
    Raises:
      InputError: for flags that Beam does not take; what a worker raises; and if another runner
        than the local one ends the job.
    """
    # The local runner's full name: `DirectRunner` would first try to download another runner.
    local = [f"--runner={_RUNNER}", f"--direct_num_workers={workers}",
             f"--direct_running_mode={'multi_processing' if workers > 1 else 'in_memory'}",
             "--default_sdk_harness_log_level=WARNING"]
    try:
        made = beam.Pipeline(options=PipelineOptions([*local, *flags]))
    except (ValueError, ImportError, AttributeError) as error:
        raise InputError(f"Beam does not take {' '.join(flags)}: {error}") from error
    try:
        with made:
            yield made
    except InputError:
        raise
    except Exception as error:
        # Worker processes send their errors as text.
        if told := _INPUT_ERROR.search(_cause(error)):
            raise InputError(told[1]) from error
        # What other runners raise has no common class: they lose workers, connections, programs.
        if isinstance(made.runner, FnApiRunner):
            raise
        raise InputError(f"the job ended on {type(made.runner).__name__}: {_cause(error)}"
                         ) from error


def _cause(error):
    """Return the last line of an error; in a worker's traceback it is the exception."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


@contextlib.contextmanager
def watched(sizes: Mapping[Path, int],
            on_progress: Callable[[int, int, int, int], None]) -> Iterator[None]:
    """Report the progress of a job's parts while the block runs.

    It is counted by the reports that workers write, which works with every runner.

    Args:
      sizes: of each part, by the path of the report that is written when it is done.
      on_progress: called with the number of finished parts, of all parts, the size of the finished
        parts and of all parts.
    """
    stop = threading.Event()
    waiting = dict(sizes)
    count, total = len(waiting), sum(waiting.values())

    def tell():
        for path in [path for path in waiting if path.exists()]:
            del waiting[path]
        on_progress(count - len(waiting), count, total - sum(waiting.values()), total)

    def watch():
        while not stop.wait(_POLL_SECONDS):
            tell()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    tell()
