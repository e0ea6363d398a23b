"""Checks of a model before its export."""

import numpy as np

from mobilebert_tf.errors import InputError


def check_finite(model) -> None:
    """Raise an InputError if a weight of a Keras model is NaN or infinite; it names the variable.
    """
    for variable in model.weights:
        values = variable.numpy()
        if np.issubdtype(values.dtype, np.integer):
            continue
        # Through float32, since NumPy knows no bfloat16.
        wrong = int(np.sum(~np.isfinite(values.astype(np.float32))))
        if wrong:
            name = variable.name.removesuffix(":0")
            raise InputError(f"{wrong} of the {values.size} values in the model's {name} are not "
                             "finite numbers, so it cannot be exported; train it again with a "
                             "lower learning rate")
