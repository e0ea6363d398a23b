"""What models are timed on: a full sequence of ids that every vocabulary has."""

import numpy as np


def filled_inputs(inputs) -> dict[str, np.ndarray]:
    """name -> (shape, dtype) of ids, mask and segment ids, to name -> values.

    Mask and segments are ones. Where the names do not tell, the first input takes the ids.
    """
    named = [name for name in inputs
             if "ids" in name and "segment" not in name and "type" not in name]
    ids = (named or list(inputs))[0]
    values = {name: np.ones(shape, dtype) for name, (shape, dtype) in inputs.items()}
    values[ids] = (np.arange(values[ids].size) % 100).reshape(
        values[ids].shape).astype(values[ids].dtype)
    return values
