import dataclasses
import functools

import numpy as np
import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf.optimization.build import adamw, lamb
from mobilebert_tf.optimization.schedule import WarmupLinearDecay


@pytest.mark.parametrize(("make", "moved"), [
    # AdamW moves a weight without a gradient by rate * decay of itself; Lamb's update is then the
    # decay alone, and its ratio of norms makes it as long as the weights.
    (adamw, 0.5 * 10 / 11 * 0.1), (lamb, 0.5 * 10 / 11)])
@pytest.mark.parametrize("preset", ["micro", "micro_ib_bert"])
def test_decay_is_for_kernels_and_tables_only(preset, make, moved):
    config = dataclasses.replace(mb.presets.get(preset), num_blocks=1)
    model = mb.Pretrainer(mb.Encoder(config))
    for variable in model.trainable_variables:
        variable.assign(tf.ones_like(variable))
    optimizer = make(model.trainable_variables, WarmupLinearDecay(0.5, 10, 0), weight_decay=0.1)
    optimizer.apply_gradients([(tf.zeros_like(v), v) for v in model.trainable_variables])
    for variable in model.trainable_variables:
        expected = 1 - moved * (len(variable.shape) > 1)
        np.testing.assert_allclose(variable, np.full(variable.shape, expected), rtol=1e-6,
                                   err_msg=variable.name)


@pytest.mark.parametrize("make", [adamw, lamb])
@pytest.mark.parametrize("clip_norm", [1.0, 0.25, None])
def test_gradients_are_clipped_by_their_global_norm(make, clip_norm):
    variables = [tf.Variable(tf.ones((30, 20)), name="kernel"),
                 tf.Variable(tf.ones(20), name="bias")]
    gradients = [tf.fill(v.shape, 1e6) for v in variables]
    optimizer = make(variables, 1e-3, clip_norm=clip_norm)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))
    # After one step the first moment is a tenth of the gradient as it was applied.
    moments = [v for v in optimizer.variables if v.name.startswith("m/")]
    assert len(moments) == len(gradients)
    expected = clip_norm or tf.linalg.global_norm(gradients).numpy()
    norm = tf.linalg.global_norm(moments).numpy() / 0.1
    assert norm == pytest.approx(expected, rel=1e-3)


def test_gradients_are_clipped_to_norm_1_by_default():
    variables = [tf.Variable([1.0], name="kernel")]
    assert [make(variables, 0.1).global_clipnorm for make in (adamw, lamb)] == [1.0, 1.0]


@pytest.mark.parametrize("make", [adamw, lamb])
def test_an_unknown_kind_of_variable_is_refused(make):
    with pytest.raises(ValueError, match="Received: scale:0"):
        make([tf.Variable(0.0, name="scale")], 0.1)


@pytest.mark.parametrize("make", [adamw, lamb])
def test_another_variable_than_those_given_is_refused(make):
    optimizer = make([tf.Variable([1.0], name="kernel")], 0.1)
    with pytest.raises(KeyError, match="cannot recognize variable"):
        optimizer.apply_gradients([(tf.ones(1), tf.Variable([1.0], name="kernel"))])


@pytest.mark.parametrize("make", [adamw, lamb, functools.partial(lamb, bias_correction=False)])
def test_a_restored_optimizer_takes_the_same_next_step(make, tmp_path):
    random = np.random.default_rng(1)
    gradients = [[tf.constant(random.normal(size=shape), tf.float32) for shape in ((4, 3), (3,))]
                 for _ in range(3)]

    def new():
        variables = [tf.Variable(np.ones((4, 3), np.float32), name="kernel"),
                     tf.Variable(np.ones(3, np.float32), name="bias")]
        return variables, make(variables, WarmupLinearDecay(0.1, 10, 4))

    def checkpoint(variables, optimizer):
        return tf.train.Checkpoint(variables=variables, optimizer=optimizer)

    variables, optimizer = new()
    for step in gradients[:2]:
        optimizer.apply_gradients(zip(step, variables, strict=True))
    path = checkpoint(variables, optimizer).write(str(tmp_path / "state"))
    restored_variables, restored = new()
    # Before its first step: what is restored later would come too late for a resumed training.
    checkpoint(restored_variables, restored).read(path).assert_consumed()
    assert int(restored.iterations) == 2
    fresh = make(variables, WarmupLinearDecay(0.1, 10, 4))
    before = [v.numpy() for v in variables]

    optimizer.apply_gradients(zip(gradients[2], variables, strict=True))
    restored.apply_gradients(zip(gradients[2], restored_variables, strict=True))
    expected = [v.numpy() for v in variables]
    for left, right in zip(expected, restored_variables, strict=True):
        np.testing.assert_array_equal(left, right)
    # An optimizer that has lost its moments and its step goes elsewhere.
    for variable, value in zip(variables, before, strict=True):
        variable.assign(value)
    fresh.apply_gradients(zip(gradients[2], variables, strict=True))
    for left, right in zip(expected, variables, strict=True):
        assert np.abs(left - right).max() > 1e-3


def test_trains_with_compile_and_fit(batch):
    config = dataclasses.replace(mb.presets.get("micro"), num_blocks=1)
    model = mb.Classifier(mb.Encoder(config), 2)
    model.compile(lamb(model.trainable_variables, 0.02),
                  keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    data = tf.data.Dataset.from_tensors((batch, np.int32([0, 1, 1]))).repeat(40)
    losses = [model.fit(data.take(20), verbose=0).history["loss"][0] for _ in range(2)]
    assert losses[1] < losses[0]
