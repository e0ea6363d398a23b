"""The names of measured files in tables and for `baseline`."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mobilebert_tf.errors import InputError


def names_of(files: Sequence[str | os.PathLike], taken: Sequence[str] = ()) -> list[str]:
    """Return a name for each file: its stem; or its path, if another one has the same stem.

    Args:
      files: their paths.
      taken: names of presets and others that are measured beside them.
    Raises:
      InputError: for a file that is given twice.
    """
    paths = [Path(file) for file in files]
    count = Counter([*(path.stem for path in paths), *taken])
    names = [path.stem if count[path.stem] == 1 else str(path) for path in paths]
    for name, times in Counter(names).items():
        if times > 1:
            raise InputError(f"{name} is given {times} times; name each file once")
    return names
