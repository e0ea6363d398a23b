"""Strict assignment: each tensor is used or named as left out, each variable is set once."""

from collections.abc import Callable, Mapping

import numpy as np

from mobilebert_tf.checkpoints.load_report import LoadReport
from mobilebert_tf.checkpoints.stored_tensor import StoredTensor
from mobilebert_tf.errors import InputError

_FLOATS = ("float64", "float32", "float16", "bfloat16")


def check(source: str, shapes: Mapping[str, tuple[int, ...]], stored: Mapping[str, StoredTensor],
          left_out: Mapping[str, str]) -> None:
    """Compare a checkpoint with the tensors that a model needs, before the model is built.

    Args:
      source: the checkpoint, for messages.
      shapes: tensor name -> its shape in the checkpoint.
      stored: all tensors of the checkpoint by name.
      left_out: tensor name -> the reason to ignore it.
    Raises:
      InputError: for a missing or an extra tensor, a wrong shape or type, each named.
    """
    missing = sorted(set(shapes) - set(stored))
    if missing:
        raise InputError(f"{source} has no tensor {_listing(missing)}, which the model needs")
    extra = sorted(set(stored) - set(shapes) - set(left_out))
    if extra:
        raise InputError(f"{source} has the tensor {_listing(extra)}, which the model has no "
                         "place for")
    for name, shape in shapes.items():
        tensor = stored[name]
        if tensor.dtype not in _FLOATS:
            raise InputError(f"{source}: {name} has type {tensor.dtype}, which is none of "
                             f"{', '.join(_FLOATS)}")
        if tensor.shape != shape:
            raise InputError(f"{source}: {name} has shape {tensor.shape}, the model needs {shape}")


def assign(source: str, names: Mapping, stored: Mapping[str, StoredTensor],
           is_transposed: Callable[[str], bool], left_out: Mapping[str, str]) -> LoadReport:
    """Set every variable in `names` from the tensor of its name, after `check`.

    All values are read before the first variable changes.

    Args:
      source, stored, left_out: as for `check`.
      names: tensor name -> variable.
      is_transposed: whether the tensor of a name is the variable's transpose.
    Raises:
      InputError: for a value that is not finite, with the tensor's name.
    """
    values = {}
    for name in names:
        value = np.asarray(stored[name].read()).astype(np.float32)
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
