"""NoNorm is affine, feature by feature, and nothing else."""

import numpy as np
import pytest

from mobilebert_tf.layers.no_norm import NoNorm


def test_is_affine_and_does_not_normalise():
    layer = NoNorm()
    layer.build((None, None, 3))
    layer.gamma.assign([2, -1, 0.5])
    layer.beta.assign([1, 0, -3])
    hidden = np.float32([[[1, 2, 4], [1e7, 0, -2]]])
    np.testing.assert_allclose(layer(hidden), [[[3, -2, -1], [2e7 + 1, 0, -4]]], rtol=1e-6)


def test_starts_as_the_identity():
    hidden = np.float32([[1, -2, 3e7]])
    np.testing.assert_array_equal(NoNorm()(hidden), hidden)


def test_needs_a_known_last_axis():
    with pytest.raises(ValueError, match=r"`bad` needs a known last axis.*\(2, None\)"):
        NoNorm(name="bad").build((2, None))


def test_as_a_layer(run_layer_test, hidden):
    layer = run_layer_test(NoNorm, [hidden])
    assert {w.name.rpartition("/")[2] for w in layer.weights} == {"gamma:0", "beta:0"}
