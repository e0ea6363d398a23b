"""The scalars of a step are computed once, whatever the number of variables."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.optimization import build

MAKERS = [build.adamw, build.lamb]


def variables(count):
    return [tf.Variable([1.0, 2.0], name=f"block_{index}/bias") for index in range(count)]


def powers(make, count):
    """How many bias corrections stand in the graph of a step of so many variables."""
    updated = variables(count)
    optimizer = make(updated, 0.1)
    graph = tf.function(lambda: optimizer.apply_gradients(
        [(tf.ones(2), variable) for variable in updated])).get_concrete_function().graph
    return sum(node.op == "Pow" for node in graph.as_graph_def().node)


@pytest.mark.parametrize("make", MAKERS)
def test_are_in_the_graph_once(make):
    assert powers(make, 1) == powers(make, 4) == 2


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
