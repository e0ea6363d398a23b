"""What a check downloads once: a folder of the user's cache directory."""

import os
from collections.abc import Callable
from pathlib import Path

from mobilebert_tf.files import directory_written_atomically


def folder(name: str, prepare: Callable[[Path], None]) -> Path:
    """The cached folder of this name; where there is none, `prepare` fills it.

    An interrupted preparation leaves nothing.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = cache / "mobilebert-tf" / name
    if not path.is_dir():
        with directory_written_atomically(path) as temporary:
            prepare(temporary)
    return path.resolve()
