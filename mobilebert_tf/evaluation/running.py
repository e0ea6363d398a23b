"""Running something on a whole data set, at the widths that its texts need."""

from collections.abc import Callable, Iterable

import numpy as np

_BATCH_SIZE = 32


def by_width(mask, width_for: Callable[[int], int]) -> dict[int, np.ndarray]:
    """Returns which rows are run at which width, shortest width first.

    Args:
      mask: `(rows, length)`, 1 at real tokens, which come first.
      width_for: number of tokens -> width.
    """
    widths = np.array([width_for(int(tokens)) for tokens in mask.sum(axis=1)])
    return {int(width): np.flatnonzero(widths == width) for width in np.unique(widths)}


def outputs(run: Callable, inputs, width_for: Callable[[int], int],
            track: Callable[[list], Iterable] = iter) -> dict[str, np.ndarray]:
    """Runs every row, in batches of one width.

    Args:
      run: inputs -> dict of arrays with a row each, none of them as long as the inputs.
      inputs: dict of `(rows, length)` arrays, `input_mask` among them.
      width_for: number of tokens -> width that such a row is cut to.
      track: takes the list of batches and gives them back one by one, to show progress.
    Returns:
      what `run` returned, in the order of the rows.
    """
    batches = [(width, rows[start:start + _BATCH_SIZE])
               for width, rows in by_width(inputs["input_mask"], width_for).items()
               for start in range(0, len(rows), _BATCH_SIZE)]
    found = [run({name: values[rows, :width] for name, values in inputs.items()})
             for width, rows in track(batches)]
    order = np.argsort(np.concatenate([rows for _, rows in batches]))
    return {name: np.concatenate([one[name] for one in found])[order] for name in found[0]}
