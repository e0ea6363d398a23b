"""Starting a command: its own temporary directory, and libraries without their messages."""

import contextlib
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mobilebert_tf import files
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.stderr import kept_aside


@contextlib.contextmanager
def own_temporary_directory() -> Iterator[None]:
    """Give the process and its children a temporary directory inside the system's.

    TensorFlow and Keras put files there (`__autograph_generated_file*.py`, models to be converted)
    and remove them when the process ends. A killed process leaves them; the next command removes
    them with their directory.

    Raises:
      InputError: if the system's temporary directory cannot be written.
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
    """Import TensorFlow and Keras without the messages of their native libraries.

    The libraries write to standard error before they read any setting. If the import fails, the
    messages are shown.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with kept_aside():
        import tensorflow  # noqa: F401
        import tf_keras  # noqa: F401
    logging.getLogger("tensorflow").setLevel(logging.ERROR)


def beam() -> None:
    """Import Apache Beam without its warnings about cloud services.

    Raises:
      InputError: if it is not installed.
    """
    logging.disable(logging.WARNING)
    try:
        import apache_beam  # noqa: F401
    except ImportError as error:
        raise InputError("a corpus needs apache-beam: install the extra `corpus`") from error
    finally:
        logging.disable(logging.NOTSET)
