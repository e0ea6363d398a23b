"""The three inputs of a text model: ids, mask and segment ids, in a file of any origin."""

from collections.abc import Iterable, Mapping

import numpy as np

# Far above every model; more would take all memory.
_LONGEST = 1 << 20


def roles(names: Iterable[str]) -> dict[str, str]:
    """Return "ids", "mask" or "segment_ids" for each input name.

    Names that do not tell are taken in that order.
    """
    names = list(names)
    segments = [name for name in names if "segment" in name or "type" in name]
    masks = [name for name in names if "mask" in name]
    ids = [name for name in names if "ids" in name and name not in (*segments, *masks)]
    if len(segments) == len(masks) == len(ids) == 1:
        return {ids[0]: "ids", masks[0]: "mask", segments[0]: "segment_ids"}
    return dict(zip(names, ("ids", "mask", "segment_ids"), strict=True))


def length(inputs: Mapping[str, tuple]) -> int:
    """Return the sequence length of a graph.

    Args:
      inputs: name -> (shape, dtype); a size that is not fixed is -1 or no number.

    Raises:
      ValueError: unless there are three integer inputs of one fixed shape (1, length).
    """
    fits = len(inputs) == 3 and len({tuple(shape) for shape, _ in inputs.values()}) == 1 and all(
        np.issubdtype(dtype, np.integer) and len(shape) == 2 and shape[0] == 1
        and isinstance(shape[1], int | np.integer) and 0 < shape[1] <= _LONGEST
        for shape, dtype in inputs.values())
    if not fits:
        raise ValueError("it should have three integer inputs of a fixed shape (1, length): ids, "
                         "mask, segment ids")
    (_, found), _ = next(iter(inputs.values()))
    return int(found)


def filled(inputs: Mapping[str, tuple]) -> dict[str, np.ndarray]:
    """Return values for timing: a full sequence of ids that every vocabulary has.

    Mask and segment ids are 1.

    Args:
      inputs: as for `length`.
    """
    values = {}
    for name, role in roles(inputs).items():
        shape, dtype = inputs[name]
        ids = np.arange(np.prod(shape)).reshape(shape) % 100
        values[name] = (ids if role == "ids" else np.ones(shape)).astype(dtype)
    return values
