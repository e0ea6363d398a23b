"""The divergence of logits that are never whole: that of whole ones, with its gradients."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.training import losses
from mobilebert_tf.training.divergence import factored_divergence
from mobilebert_tf.training.partial_model import partial_model

from .steps import make_stage, measure, new_step, spec, take_step

PIECES = 13


def factors(seed, rows, width, pieces=PIECES):
    random = np.random.default_rng(seed)
    return [tf.constant(random.normal(size=shape), tf.float32)
            for shape in ((*rows, width), (pieces, width), (pieces,))]


def logits(states, matrix, bias):
    return tf.tensordot(states, matrix, [[-1], [-1]]) + bias


def with_gradients(function, given):
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = function(given)
    return [loss, *tape.gradient(loss, given)]


@pytest.mark.parametrize("rows", [1, 4, 7, 8, 20, 100])
@pytest.mark.parametrize("wrap", [
    lambda step: step, tf.function, lambda step: tf.function(step, jit_compile=True)],
    ids=["eager", "graph", "xla"])
def test_is_that_of_whole_logits_with_its_gradients(rows, wrap):
    """20 rows in chunks that fit, that do not, and of more rows than there are."""
    student, teacher = factors(1, (20,), 6), factors(2, (20,), 9)
    weights = tf.constant(np.random.default_rng(3).uniform(size=20) * (np.arange(20) != 5),
                          tf.float32)

    def whole(given):
        difference = tf.nn.log_softmax(logits(*teacher)) - tf.nn.log_softmax(logits(*given))
        return 3 * tf.reduce_sum(weights[:, None] * tf.nn.softmax(logits(*teacher)) * difference)

    def in_chunks(given):
        return 3 * factored_divergence(given, teacher, weights, rows)

    expected = with_gradients(whole, student)
    found = wrap(lambda: with_gradients(in_chunks, student))()
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    assert not found[1][5].numpy().any()
    assert all(np.abs(gradient).max() > 1e-2 for gradient in found[1:])


@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_all_tokens_are_distilled_as_masked_ones_are(temperature):
    student, teacher = factors(1, (2, 5), 6), factors(2, (2, 5), 9)
    weights = losses.even_weights([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]])
    found = with_gradients(lambda given: losses.all_token_distillation(
        given, teacher, weights, temperature), student)
    expected = with_gradients(lambda given: losses.masked_lm_distillation(
        logits(*given), logits(*teacher), weights, temperature), student)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    assert losses.all_token_distillation(student, student, weights, temperature) == 0


@pytest.mark.parametrize(("temperature", "expected"), [
    (1.0, 0.4567767), (2.0, 0.5446524), (10.0, 0.5621372)])
def test_distilberts_by_hand(temperature, expected):
    """Logits are states times the identity."""
    sides = [(tf.constant([values], tf.float32), tf.eye(3), tf.zeros(3))
             for values in ([[1, 0, 0], [0, 2, -1]], [[2, 0, -1], [0, 1, 1]])]
    found = losses.all_token_distillation(*sides, tf.constant([[0.5, 0.5]]), temperature)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def shapes(graph):
    """The shapes of all tensors of a graph and of the functions in it."""
    found = [output.shape for operation in graph.get_operations() for output in operation.outputs]
    for function in graph._functions.values():
        found += shapes(function.graph if hasattr(function, "graph") else function._graph)
    return found


def test_no_tensor_holds_the_logits_of_more_rows_than_a_chunk():
    """2,000 rows of 1,000 pieces; of the factors and their gradients the largest is 2,000 x 8."""
    student, teacher = factors(1, (2000,), 8, 1000), factors(2, (2000,), 8, 1000)
    weights = tf.fill((2000,), 1 / 2000)

    def sizes(loss):
        traced = tf.function(lambda: with_gradients(loss, student)).get_concrete_function()
        return [shape.num_elements() or 0 for shape in shapes(traced.graph) if shape.rank]

    assert max(sizes(lambda given: factored_divergence(given, teacher, weights, 50))) == 50 * 1000
    assert max(sizes(lambda given: losses.masked_lm_distillation(
        logits(*given), logits(*teacher), weights))) == 2000 * 1000


@pytest.mark.usefixtures("eagerly")
def test_a_step_reads_all_tokens_and_the_padding_only_if_it_counts(student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    batch = make_batch()
    sides = []
    for model in student_and_teacher:
        part = partial_model(model, ("sequence_output",))
        states = part({name: batch[name] for name in part.input})["sequence_output"]
        sides.append(model.mlm_head(states))
    for count_padding in (False, True):
        stage = make_stage({"all_token_distillation": 1.0}, masking_rate=0.0, temperature=2.0,
                           count_padding=count_padding)
        places = np.ones((4, 10)) if count_padding else batch["input_mask"]
        expected = losses.masked_lm_distillation(*sides, losses.even_weights(places), 2.0)
        found = measure(stage, student, teacher, batch)
        np.testing.assert_allclose(found["loss"], expected, rtol=1e-4)
    found = take_step(stage, student, student, batch)
    assert (found["loss"], found["gradient_norm"] < 1e-4) == (0, True)


def test_a_graph_of_a_step_trains_states_table_and_bias(student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    batch = make_batch()
    stage = make_stage({"all_token_distillation": 1.0}, ("embedding", "block_2", "mlm"))
    head = student.mlm_head
    kept = {variable.name: variable.numpy() for variable in (
        head.output_bias, head.extra_kernel, head.embedding.word_table, head.dense.kernel)}
    step = new_step(stage, student, teacher, accumulation=2).function(spec(batch))
    course = [float(step(batch)["loss"]) for _ in range(4)]
    assert course == sorted(course, reverse=True)
    assert course[3] < 0.99 * course[0]
    for variable in (head.output_bias, head.extra_kernel, head.embedding.word_table,
                     head.dense.kernel):
        assert np.abs(variable - kept[variable.name]).max() > 1e-4
