import numpy as np
import pytest

import mobilebert_tf as mb

from ..conftest import LENGTH, build


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_weight_that_is_not_finite_is_named(wrong):
    model = build("classification")
    variable = next(one for one in model.weights if one.name == "block_1/attention/key/kernel:0")
    values = variable.numpy()
    values[2, 3] = values[0, 0] = wrong
    variable.assign(values)
    with pytest.raises(mb.InputError, match=f"^2 of the {values.size} values in the model's "
                       "block_1/attention/key/kernel are not finite"):
        mb.export.to_tflite(model, "float32", (LENGTH,))
