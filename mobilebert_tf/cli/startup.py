"""Starting a command: a temporary directory of its own, and TensorFlow without its messages."""

import contextlib
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mobilebert_tf import files


@contextlib.contextmanager
def own_temporary_directory() -> Iterator[None]:
    """Give the process and its children a temporary directory inside the system's.

    TensorFlow and Keras put files there that they remove when the process ends, and so would leave
    when it is killed: dozens of `__autograph_generated_file*.py`, models on their way to LiteRT.
    The next command removes the directory of one that was killed.

    Raises:
      InputError: when the system's cannot be written.
    """
    system, variable = tempfile.gettempdir(), os.environ.get("TMPDIR")
    with files.workspace(Path(system) / "mobilebert") as own:
        tempfile.tempdir = os.environ["TMPDIR"] = str(own)
        try:
            yield
        finally:
            tempfile.tempdir = system
            if variable is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = variable


def tensorflow() -> None:
    """Imports TensorFlow and Keras; their native libraries' messages go nowhere.

    The libraries write to the process's standard error before any setting of theirs is read, so
    that is turned away meanwhile. Where the import fails, what they wrote is shown.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as messages:
        os.dup2(messages.fileno(), 2)
        try:
            import tensorflow  # noqa: F401
            import tf_keras  # noqa: F401
        except BaseException:
            messages.seek(0)
            os.write(kept, messages.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
