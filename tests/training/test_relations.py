"""MiniLM's relations: against loops over tokens, and from queries, keys and values of blocks."""

import math

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.errors import InputError
from mobilebert_tf.layers.attention import SelfAttention
from mobilebert_tf.training import losses, relations
from mobilebert_tf.training.partial_model import partial_model

from .steps import make_stage, measure, new_step, spec, take_step

LENGTHS = (5, 3, 1)
MASK = (np.arange(5) < np.array(LENGTHS)[:, None]).astype(np.int32)
RELATIONS = ("query_relation", "key_relation", "value_relation")


def features(seed, width):
    return np.random.default_rng(seed).normal(0, 1.5, (3, 5, width))


def row(states, at, head, heads, length):
    """The relation of one token to all: a softmax written out."""
    size = states.shape[-1] // heads
    columns = range(head * size, (head + 1) * size)
    products = [sum(states[at, column] * states[key, column] for column in columns)
                / math.sqrt(size) for key in range(length)]
    total = sum(map(math.exp, products))
    return [math.exp(product) / total for product in products]


def by_loops(student, teacher, heads, lengths=LENGTHS):
    """Mean of KL(teacher || student) over heads and the tokens that are not padding."""
    found = []
    for ours, theirs, length in zip(student, teacher, lengths, strict=True):
        for at in range(length):
            for head in range(heads):
                p, q = (row(side, at, head, heads, length) for side in (theirs, ours))
                found.append(sum(a * math.log(a / b) for a, b in zip(p, q, strict=True)))
    return sum(found) / len(found)


def run(student, teacher, heads, mask=MASK):
    return float(relations.relation(
        tf.constant(student, tf.float32), tf.constant(teacher, tf.float32),
        losses.even_weights(mask), tf.constant(mask), heads))


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_is_the_mean_over_heads_and_tokens_for_widths_that_differ(heads):
    student, teacher = features(1, 4), features(2, 12)
    found = run(student, teacher, heads)
    np.testing.assert_allclose(found, by_loops(student, teacher, heads), rtol=1e-5)
    # Padding is no row and no key: what it holds changes nothing.
    for side in (student, teacher):
        side[MASK == 0] = 9.0
    assert run(student, teacher, heads) == pytest.approx(found, rel=1e-6)
    for wrong in (by_loops(teacher, student, heads),  # the other direction
                  by_loops(student, teacher, heads, (5, 5, 5)),  # padding counted
                  by_loops(student, teacher, 4 // heads if heads != 2 else 1),  # other heads
                  by_loops(student / heads**0.25, teacher / heads**0.25, heads) if heads > 1
                  else by_loops(student / 2, teacher / 2, 1)):  # another scale
        assert abs(wrong - found) > 1e-3 * found


def test_minilmv2_by_hand():
    """Queries of three tokens in two relation heads; worked out in float64."""
    teacher, student = [[[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]]], [[[1, 0], [0, 1], [1, -1]]]
    mask = np.ones((1, 3), np.int32)
    np.testing.assert_allclose(run(student, teacher, 2, mask), 0.1016753, rtol=1e-5)
    np.testing.assert_allclose(
        by_loops(np.array(student), np.array(teacher), 2, (3,)), 0.1016753, rtol=1e-6)


def test_equal_features_have_no_distance_and_parts_add_up():
    student, teacher = features(1, 4), features(2, 12)
    assert run(student, student, 2) == 0
    whole = run(student, teacher, 2)
    parts = [float(relations.relation(
        tf.constant(student[rows], tf.float32), tf.constant(teacher[rows], tf.float32),
        losses.even_weights(MASK[rows], MASK.sum()), tf.constant(MASK[rows]), 2))
        for rows in (slice(0, 1), slice(1, 3))]
    assert sum(parts) == pytest.approx(whole, rel=1e-6)


def test_gradient_is_that_of_differences():
    student, teacher = features(1, 4), features(2, 12)
    given = tf.constant(student, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = relations.relation(given, tf.constant(teacher, tf.float32),
                               losses.even_weights(MASK), tf.constant(MASK), 2)
    gradient = tape.gradient(loss, given).numpy()
    assert not gradient[MASK == 0].any()
    for place in ((0, 1, 2), (0, 4, 0), (1, 2, 3)):
        step = np.zeros_like(student)
        step[place] = 1e-5
        slope = (by_loops(student + step, teacher, 2) - by_loops(student - step, teacher, 2)) / 2e-5
        assert gradient[place] == pytest.approx(slope, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("preset", ["micro", "micro_tiny", "micro_ib_bert", "micro_bert"])
def test_queries_keys_and_values_are_those_of_attention(preset, build, make_batch, monkeypatch):
    model, batch = build(preset, 3, (), num_blocks=2), make_batch()
    part = partial_model(model, ("queries", "keys", "values"), 2, (0, 1))
    given = {name: batch[name] for name in part.input}
    found = part(given)
    real, seen = SelfAttention._split_heads, []

    def split(self, projected):
        seen.append(projected)
        return real(self, projected)

    monkeypatch.setattr(SelfAttention, "_split_heads", split)
    model(given)
    assert len(seen) == 6
    for block in (0, 1):
        queries, keys, values = seen[3 * block : 3 * block + 3]
        scale = math.sqrt(model.config.head_size)
        np.testing.assert_allclose(found["queries"][block] / scale, queries, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(found["keys"][block], keys)
        np.testing.assert_array_equal(found["values"][block], values)
        assert values.shape[-1] == model.config.width
    # Nothing of the block itself is computed, and nothing after it.
    assert [layer.name for layer in part.layers if layer.name.startswith("block_")] == ["block_0"]
    assert {id(weight) for weight in part.weights} <= {id(weight) for weight in model.weights}


@pytest.mark.usefixtures("eagerly")
def test_a_step_compares_the_stages_blocks(build, make_batch):
    """Of widths and heads that differ; every loss reads its own projection."""
    student = build("micro", 1, (), num_blocks=2)
    teacher = build("micro_ib_bert", 2, (), num_blocks=2, num_heads=8)
    batch = make_batch()
    stage = make_stage(dict.fromkeys(RELATIONS, 1.0), ("block_0", "block_1"),
                       blocks=((0, 1), (1, 0)), relation_heads=2)
    found = measure(stage, student, teacher, batch)
    sides = []
    for model in (student, teacher):
        part = partial_model(model, ("queries", "keys", "values"), 2, (0, 1))
        sides.append(part({name: batch[name] for name in part.input}))
    lengths = batch["input_mask"].numpy().sum(1)
    for name, output in zip(RELATIONS, ("queries", "keys", "values"), strict=True):
        expected = [by_loops(np.float64(sides[0][output][ours]), np.float64(sides[1][output][its]),
                             2, lengths) for ours, its in stage.blocks]
        assert found[name] == pytest.approx(sum(expected) / 2, rel=1e-4)
    step = new_step(stage, student, teacher).function(spec(batch))
    course = [float(step(batch)["loss"]) for _ in range(4)]
    assert course == sorted(course, reverse=True)
    assert course[3] < 0.99 * course[0]


@pytest.mark.usefixtures("eagerly")
def test_without_relation_heads_they_are_those_of_attention(models, make_batch):
    student, teacher = models
    batch = make_batch()
    own, four, two = (measure(make_stage({"value_relation": 1.0}, ("block_0",), blocks=((0, 2),),
                                         relation_heads=heads), student, teacher, batch)["loss"]
                      for heads in (None, 4, 2))
    assert student.config.num_heads == 4
    assert own == four
    assert abs(own - two) > 1e-3 * own


@pytest.mark.parametrize(("heads", "of_teacher", "message"), [
    (None, {"num_heads": 8}, "the values of 4 heads with those of 8; set relation_heads to a "
                             "number that divides 24 and 64 features"),
    (5, {}, "5 relation_heads, which do not divide the 24 features of the student's values"),
    (3, {}, "3 relation_heads, which do not divide the 64 features of the teacher's values")])
def test_heads_that_do_not_fit_are_refused(heads, of_teacher, message, models, build):
    teacher = build("micro_ib_bert", 2, num_blocks=1, **of_teacher)
    stage = make_stage({"value_relation": 1}, blocks=((0, 0),), relation_heads=heads)
    with pytest.raises(InputError, match=message):
        new_step(stage, models[0], teacher)
    with pytest.raises(InputError, match="has 0 relation_heads"):
        make_stage({"value_relation": 1}, blocks=((0, 0),), relation_heads=0)


@pytest.mark.usefixtures("eagerly")
def test_a_model_has_no_distance_from_itself(student_and_teacher, make_batch):
    student, _ = student_and_teacher
    found = take_step(make_stage(dict.fromkeys(RELATIONS, 1.0), blocks=((0, 0), (2, 2))),
                      student, student, make_batch())
    assert found["loss"] == 0
    assert found["gradient_norm"] < 1e-5
