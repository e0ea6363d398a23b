import numpy as np
import pytest

import mobilebert_tf as mb
from mobilebert_tf.export.file import convert

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


def test_outputs_of_the_model_that_are_not_finite_are_refused():
    model = build("regression")
    kernel = next(one for one in model.weights if one.name == "logits/kernel:0")
    kernel.assign(np.full(kernel.shape, 3e38, np.float32))
    with pytest.raises(mb.InputError, match="^the model's output score is not finite for random"):
        mb.export.to_tflite(model, "float32", (LENGTH,))


@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
def test_a_file_whose_outputs_are_not_finite_is_refused(wrong, models, monkeypatch):
    class Runner(convert.Runner):
        def __call__(self, inputs):
            found = super().__call__(inputs)
            found["probabilities"][1, 0] = wrong
            return found

    monkeypatch.setattr(convert, "Runner", Runner)
    with pytest.raises(mb.InputError, match="^the output probabilities of the float32 file is"):
        mb.export.to_tflite(models["classification"], "float32", (LENGTH,))
