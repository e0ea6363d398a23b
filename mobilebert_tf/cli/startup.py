"""Starting a command: its streams and temporary directory, and libraries without messages."""

import contextlib
import importlib.abc
import importlib.util
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mobilebert_tf import files
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.stderr import kept_aside

# The system's temporary directory, while a command has its own.
_system = None


def printable_streams() -> None:
    """Give the process a standard output and a standard error that take every text.

    A closed one leads to nowhere. Otherwise the next file that is opened would take its number, and
    with it the messages that libraries write there. A character that the encoding of the output
    does not have is printed as an escape, as Python prints it to standard error.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "w", closefd=False))
    sys.stdout.reconfigure(errors="backslashreplace")


@contextlib.contextmanager
def own_temporary_directory() -> Iterator[None]:
    """Give the process and its children a temporary directory inside the system's.

    TensorFlow and Keras put files there (`__autograph_generated_file*.py`, models to be converted)
    and remove them when the process ends. A killed process leaves them; the next command removes
    them with their directory.

    Raises:
      InputError: if the system's temporary directory cannot be written, or there is none.
    """
    global _system
    try:
        before, _system = _system, tempfile.gettempdir()
    except FileNotFoundError as error:
        raise InputError("there is no place for temporary files: set TMPDIR to a directory that "
                         "can be written") from error
    try:
        with files.workspace(Path(_system) / "mobilebert") as own, _temporary_directory(own):
            yield
    finally:
        _system = before


def system_temporary_directory() -> contextlib.AbstractContextManager[None]:
    """Give the process the system's temporary directory back while a block runs.

    It is for what outlives a command's own: Beam's job servers are stopped when the process ends,
    and only after they removed their files.
    """
    return _temporary_directory(_system or tempfile.gettempdir())


@contextlib.contextmanager
def _temporary_directory(path):
    directory, variable = tempfile.gettempdir(), os.environ.get("TMPDIR")
    tempfile.tempdir = os.environ["TMPDIR"] = str(path)
    try:
        yield
    finally:
        tempfile.tempdir = directory
        if variable is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = variable


def beam(extra: str, *others: str) -> None:
    """Import Apache Beam without its warnings about cloud services, and other modules of its job.

    Args:
      extra: the extra of this package that has them, for the message.
      others: names of modules.
    Raises:
      InputError: if one is not installed.
    """
    logging.disable(logging.WARNING)
    try:
        for name in ("apache_beam", *others):
            importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"this needs {name.replace('_', '-')}: install the extra `{extra}`"
                         ) from error
    finally:
        logging.disable(logging.NOTSET)


def quiet_tensorflow() -> None:
    """Make the first import of TensorFlow a quiet one, wherever it happens."""
    if "tensorflow" not in sys.modules:
        sys.meta_path.insert(0, _QuietFinder())


class _QuietFinder(importlib.abc.MetaPathFinder):
    """Finds TensorFlow once, with a loader that keeps aside what its native libraries write.

    The libraries write to standard error before they read any setting. If the import fails, the
    messages are shown.
    """

    def find_spec(self, name, path=None, target=None):
        if name != "tensorflow":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            spec.loader = _QuietLoader(spec.loader)
        return spec


class _QuietLoader(importlib.abc.Loader):
    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        # TensorFlow imports the Keras that `tf.keras` is. Keras 3 takes two seconds and has no use.
        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
        with kept_aside():
            self._loader.exec_module(module)
            import tf_keras  # noqa: F401
        logging.getLogger("tensorflow").setLevel(logging.ERROR)
