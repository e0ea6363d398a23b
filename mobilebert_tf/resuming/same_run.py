"""Whether what lies on disk is of the run that wants to continue from it."""

import os

from mobilebert_tf.errors import InputError

# How many differences from another run a message names.
_SHOWN_DIFFERENCES = 4


def check(path: str | os.PathLike, found: dict, wanted: dict, advice: str) -> None:
    """Raise InputError unless two runs are the same.

    Args:
      path: what lies on disk, for the message.
      found, wanted: JSON values that identify its run and this one.
      advice: how the message ends.
    """
    different = list(_differences(found, wanted))
    if different:
        more = len(different) - _SHOWN_DIFFERENCES
        raise InputError(
            f"{path} is of another run: it differs in {', '.join(different[:_SHOWN_DIFFERENCES])}"
            f"{f' and {more} more' if more > 0 else ''}; {advice}")


def _differences(one, other, path=""):
    """Yield where two JSON values differ, such as `stages[0].steps (10, now 20)`."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            yield from _differences(one.get(name), other.get(name),
                                    f"{path}.{name}" if path else name)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, values in enumerate(zip(one, other, strict=True)):
            yield from _differences(*values, f"{path}[{index}]")
    elif one != other:
        values = f" ({one}, now {other})"
        yield path + (values if len(values) < 40 else "")
