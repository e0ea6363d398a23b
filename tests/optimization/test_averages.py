"""Averages against TensorFlow's, and against numbers by hand."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.optimization.averages import Averages

VALUES = np.random.default_rng(1).normal(0, 1, (40, 2, 3)).astype(np.float32)


def taken_in(variable, averages, values):
    for value in values:
        variable.assign(value)
        averages.update()
    return variable.numpy()


@pytest.mark.parametrize("momentum", [0.3, 0.9])  # reached after 3 updates, and never
def test_are_those_of_tensorflow(momentum):
    ours, theirs, update = tf.Variable(VALUES[0]), tf.Variable(VALUES[0]), tf.Variable(0.0)
    averages = Averages([ours], momentum)
    taken_in(ours, averages, VALUES[1:])
    reference = tf.train.ExponentialMovingAverage(momentum, update)
    for value in VALUES[1:]:
        theirs.assign(value)
        reference.apply([theirs])
        update.assign_add(1)
    with averages.in_place():
        np.testing.assert_allclose(ours, reference.average(theirs), rtol=0, atol=1e-6)


def test_the_first_updates_by_hand():
    variable = tf.Variable(0.0)
    averages = Averages([variable], 0.999)
    taken_in(variable, averages, [10.0, 20.0])
    # 0.1 of 0 and 0.9 of 10 are 9; 2/11 of that and 9/11 of 20 are 18.
    with averages.in_place():
        assert float(variable) == pytest.approx(18.0, abs=1e-5)


def test_variables_have_their_own_values_after_an_error_too():
    variable = tf.Variable(VALUES[0])
    averages = Averages([variable], 0.9)
    last = taken_in(variable, averages, VALUES[1:4])
    kept = [one.numpy() for one in averages.state]
    with pytest.raises(KeyError), averages.in_place():
        raise KeyError
    np.testing.assert_array_equal(variable, last)
    for one, before in zip(averages.state, kept, strict=True):
        np.testing.assert_array_equal(one, before)


def test_of_no_variables():
    averages = Averages([], 0.0)
    averages.update()
    with averages.in_place():
        assert [one.numpy() for one in averages.state] == [1]
