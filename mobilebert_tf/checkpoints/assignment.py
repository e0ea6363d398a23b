"""Strict assignment: every tensor used or named as left out, every variable set exactly once."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class LoadReport:
    """What became of every tensor of a checkpoint.

    `used`: tensor name -> variable name. `left_out`: tensor name -> the rule that leaves it out.
    """

    source: str
    used: dict[str, str]
    left_out: dict[str, str]


def assign(source: str, names: Mapping, stored: Iterable[str], read: Callable[[str], np.ndarray],
           is_transposed: Callable[[str], bool], left_out: Mapping[str, str]) -> LoadReport:
    """Sets every variable in `names` from the tensor of its name.

    All names and shapes are checked before the first variable changes.

    Args:
      source: the checkpoint, for messages.
      names: tensor name -> variable.
      stored: names of all tensors of the checkpoint.
      read: tensor name -> array.
      is_transposed: whether the tensor of a name is the variable's transpose.
      left_out: tensor name -> reason, of those that are to be passed over.
    Raises:
      InputError: for a missing or an extra tensor, a wrong shape, or a value that is not a number,
        each named.
    """
    stored = set(stored)
    missing = sorted(set(names) - stored)
    if missing:
        raise InputError(f"{source} has no tensor {_listing(missing)}, which the model needs")
    extra = sorted(stored - set(names) - set(left_out))
    if extra:
        raise InputError(f"{source} has the tensor {_listing(extra)}, which the model has no "
                         "place for")
    values = {}
    for name, variable in names.items():
        value = np.asarray(read(name))
        if not np.issubdtype(value.dtype, np.floating) and value.dtype.name != "bfloat16":
            raise InputError(f"{source}: {name} has type {value.dtype}, not a floating one")
        shape = tuple(variable.shape)
        expected = shape[::-1] if is_transposed(name) else shape
        if value.shape != expected:
            raise InputError(f"{source}: {name} has shape {value.shape}, the model needs "
                             f"{expected}")
        value = value.astype(np.float32)
        if not np.isfinite(value).all():
            raise InputError(f"{source}: {name} holds values that are not finite")
        values[name] = value.T if is_transposed(name) else value
    for name, variable in names.items():
        variable.assign(values[name])
    return LoadReport(source, {name: variable.name for name, variable in names.items()},
                      dict(left_out))


def _listing(names):
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} (and {len(names) - 3} more)"
