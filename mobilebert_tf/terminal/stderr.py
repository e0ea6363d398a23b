"""The process's standard error, kept aside while native libraries write to it."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def kept_aside(*expected: type[Exception]) -> Iterator[TextIO]:
    """Hide what this process and its children write to standard error.

    Show it if the block raises an exception, unless it is one of the `expected` types. Yield a
    stream to the real standard error.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as messages, os.fdopen(kept, "w") as heard:
        os.dup2(messages.fileno(), 2)
        try:
            yield heard
        except Exception as error:
            if not isinstance(error, expected):
                messages.seek(0)
                os.write(kept, messages.read())
            raise
        finally:
            sys.stderr.flush()
            heard.flush()
            os.dup2(kept, 2)
