"""Of a step of an optimizer, only calls are as many as the variables."""

import numpy as np
import pytest
import tensorflow as tf
from tf_keras.src.mixed_precision.autocast_variable import create_autocast_variable

from mobilebert_tf.optimization import build

MAKERS = [build.adamw, build.lamb]


def variables(count):
    return [tf.Variable([1.0, 2.0], name=f"block_{index}/bias") for index in range(count)]


def graph_of_a_step(make, count, wrap=lambda variable: variable):
    """The graph of a step of so many variables of one shape."""
    updated = [wrap(variable) for variable in variables(count)]
    optimizer = make(updated, 0.1)
    step = tf.function(lambda: optimizer.apply_gradients(
        [(tf.ones(2), variable) for variable in updated]))
    return step.get_concrete_function().graph.as_graph_def()


def powers(make, count):
    """How many bias corrections there are in it."""
    return sum(node.op == "Pow" for node in graph_of_a_step(make, count).node)


@pytest.mark.parametrize("make", MAKERS)
def test_are_in_the_graph_once(make):
    assert powers(make, 1) == powers(make, 4) == 2


@pytest.mark.parametrize("wrap", [lambda variable: variable, create_autocast_variable],
                         ids=["float32", "mixed precision"])
@pytest.mark.parametrize("make", MAKERS)
def test_an_update_is_traced_once_and_stands_in_the_graph_as_a_call(make, wrap):
    few, many = (graph_of_a_step(make, count, wrap) for count in (3, 7))
    assert len(few.library.function) == len(many.library.function) == 1
    assert [node.op for node in many.node].count("StatefulPartitionedCall") == 7


@pytest.mark.parametrize("make", MAKERS)
def test_are_those_of_each_step_where_a_graph_has_two(make):
    def run(wrap):
        (variable,) = updated = variables(1)
        optimizer = make(updated, 0.1)

        def two_steps():
            for gradient in ([1.0, -1.0], [0.5, 3.0]):
                optimizer.apply_gradients([(tf.constant(gradient), variable)])

        wrap(two_steps)()
        return variable.numpy()

    np.testing.assert_array_equal(run(tf.function), run(lambda function: function))


@pytest.mark.parametrize("make", MAKERS)
def test_leave_nothing_in_checkpoints(make):
    updated = variables(1)
    optimizer = make(updated, 0.1)
    optimizer.apply_gradients([(tf.ones(2), updated[0])])
    assert not any("computed" in name for name in optimizer._trackable_children())
