"""Checks: what a model must hold to before it is exported."""

import numpy as np

from mobilebert_tf.errors import InputError


def check_finite(model) -> None:
    """InputError, naming the variable, unless every weight of a Keras model is a finite number."""
    for variable in model.weights:
        values = variable.numpy()
        if np.issubdtype(values.dtype, np.integer):
            continue
        # Through float32, since NumPy knows no bfloat16.
        wrong = int(np.sum(~np.isfinite(values.astype(np.float32))))
        if wrong:
            name = variable.name.removesuffix(":0")
            raise InputError(f"{wrong} of the {values.size} values in the model's {name} are not "
                             "finite numbers, so no file can be made of it; a lower learning rate "
                             "may train it better")
