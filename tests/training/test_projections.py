"""States through a trained projection: by hand, in a step, through the stages of a run."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.training import losses
from mobilebert_tf.training.components import components
from mobilebert_tf.training.partial_model import partial_model
from mobilebert_tf.training.projections import Projections

from .steps import make_stage, measure, new_step, spec, values

PAIRS = (("embedding", "embedding"), (0, 1))
LOSS = {"projected_feature_map": 1.0}


def stage(**fields):
    return make_stage(LOSS, ("embedding", "block_0"), **{"blocks": PAIRS, **fields})


def by_loops(student, teacher, kernel, bias, mask):
    """Mean of (t - (s W + b))^2 over the tokens that are not padding and the teacher's features."""
    squares = []
    for row, length in enumerate(np.asarray(mask).sum(1)):
        for at in range(length):
            for column in range(kernel.shape[1]):
                projected = bias[column] + sum(
                    student[row, at, one] * kernel[one, column] for one in range(len(kernel)))
                squares.append((teacher[row, at, column] - projected) ** 2)
    return np.mean(squares)


@pytest.fixture(scope="module")
def narrow_and_wide(build):
    return build("micro", 1, (), num_blocks=1), build("micro_ib_bert", 2, (), num_blocks=2,
                                                      hidden_size=64)


def test_by_hand():
    states = tf.constant([[[1.0, 2], [0, -1]]])
    kernel, bias = tf.constant([[1.0, 0, 1], [0, 1, -1]]), tf.constant([0.5, 0, 0])
    target, weights = tf.constant([[[1.0, 2, 0], [1, -1, 1]]]), tf.constant([[0.5, 0.5]])
    assert float(losses.projected_feature_map(
        states, target, weights, lambda given: given @ kernel + bias)) == 0.25


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.usefixtures("eagerly")
def test_a_step_projects_the_embedding_and_blocks(share, narrow_and_wide, make_batch):
    student, teacher = narrow_and_wide
    batch, one = make_batch(), stage(share_projection=share)
    projections = Projections((one,), student, teacher)
    random = np.random.default_rng(3)
    for variable in projections.variables_of(one):
        variable.assign(random.normal(size=variable.shape))
    found = measure(one, student, teacher, batch, projections=projections)["loss"]
    names = ("embedding_output", "block_outputs")
    ours, theirs = (partial_model(model, names)({
        name: batch[name] for name in model.encoder.input}) for model in (student, teacher))
    weights = {name: [variable.numpy() for variable in layer.trainable_variables]
               for name, layer in projections.layers.items()}
    assert set(weights) == ({"states"} if share else {"states", "embedding"})
    of_embedding = weights["states" if share else "embedding"]
    expected = [
        by_loops(ours["embedding_output"].numpy(), theirs["embedding_output"].numpy(),
                 *of_embedding, batch["input_mask"]),
        by_loops(ours["block_outputs"][0].numpy(), theirs["block_outputs"][1].numpy(),
                 *weights["states"], batch["input_mask"])]
    assert found == pytest.approx(sum(expected) / 2, rel=1e-4)


@pytest.mark.usefixtures("eagerly")
def test_a_step_trains_them_at_the_peak_rate_and_clips_them_with_the_rest(
        narrow_and_wide, make_batch):
    student, teacher = narrow_and_wide
    one = make_stage(LOSS, {"embedding": 0.1, "block_0": 0.1}, blocks=PAIRS)
    projections = Projections((one,), student, teacher)
    variables = projections.variables_of(one)
    assert [tuple(variable.shape) for variable in variables] == [(48, 64), (64,)] * 2
    assert not set(map(id, variables)) & set(map(id, student.trainable_variables))
    before, models = [variable.numpy() for variable in variables], values(student)
    batch = make_batch()
    step = new_step(one, student, teacher, projections=projections)
    gradients, _ = step._gradients(batch, {"tokens": tf.reduce_sum(tf.cast(
        batch["input_mask"], tf.float32))})
    norm = float(step.function(spec(batch))(batch)["gradient_norm"])
    # Adam's first step is the rate; 1e-3 of the schedule's peak against a tenth of it.
    for variable, was in zip(variables, before, strict=True):
        assert 8e-4 < np.abs(variable - was).max() < 1.2e-3
    moved = max(np.abs(variable - was).max() for variable, was in zip(
        components(student)["block_0"], models["block_0"], strict=True))
    assert 5e-5 < moved < 1.3e-4
    # The norm is of all gradients: without those of the projections it would be less.
    assert norm == pytest.approx(float(tf.linalg.global_norm(list(gradients.values()))), rel=1e-5)
    of_student = list(gradients.values())[:-4]
    assert float(tf.linalg.global_norm(of_student)) < 0.999 * norm


@pytest.mark.usefixtures("eagerly")
def test_training_brings_the_projected_states_nearer(narrow_and_wide, make_batch):
    student, teacher = narrow_and_wide
    batch = make_batch()
    step = new_step(stage(learning_rate=1e-2), student, teacher).function(spec(batch))
    course = [float(step(batch)["loss"]) for _ in range(6)]
    assert course[5] < 0.9 * course[0]


def test_they_are_those_that_the_stages_use_and_the_same_at_every_start(narrow_and_wide):
    student, teacher = narrow_and_wide
    of_blocks, of_embedding = stage(blocks=PAIRS[1:]), stage(blocks=PAIRS[:1])
    shared = stage(blocks=PAIRS, share_projection=True)
    plain = make_stage({"masked_lm": 1.0})
    for stages, expected in (((plain,), []), ((of_blocks,), ["states"]), ((shared,), ["states"]),
                             ((plain, of_embedding), ["embedding"]),
                             ((of_blocks, of_embedding), ["states", "embedding"])):
        assert list(Projections(stages, student, teacher).layers) == expected
    both = Projections((of_blocks, of_embedding), student, teacher)
    assert len(both.variables_of(of_blocks)) == 2
    assert both.variables_of(plain) == []
    for seed, equal in ((0, True), (1, False)):
        other = Projections((of_blocks, of_embedding), student, teacher, seed)
        same = [np.array_equal(*pair) for pair in zip(both.variables, other.variables, strict=True)]
        assert all(same) if equal else not all(same)
    kernels = [variable.numpy() for variable in both.variables if "kernel" in variable.name]
    assert not np.array_equal(*kernels)
    assert all(0.01 < kernel.std() < 0.03 for kernel in kernels)


def two_stages(run):
    """Both project; the second starts with what the first trained."""
    transfer, last = run.stages
    return (dataclasses.replace(transfer, name="one", losses=LOSS, rates=dict.fromkeys(
                ("embedding", "block_0"), 1.0), blocks=(PAIRS[0], (0, 0))),
            dataclasses.replace(last, name="two", losses={**LOSS, "masked_lm": 1.0},
                                blocks=((0, 0),)))


def test_a_run_that_is_killed_in_each_stage_ends_as_the_whole_one(
        make_run, killed_at, tmp_path, monkeypatch):
    kept = []

    def made(*arguments):
        kept.append(Projections(*arguments))
        return kept[-1]

    monkeypatch.setattr("mobilebert_tf.training.loop.Projections", made)
    stages = two_stages(make_run(tmp_path))
    whole = make_run(tmp_path / "whole", stages)()
    trained = [variable.numpy() for variable in kept[0].variables]
    run = make_run(tmp_path / "killed", stages)
    killed_at(run, 0, 4)
    killed_at(run, 1, 1)  # continues from the end of the first stage
    for one, other in zip(whole, run(), strict=True):
        np.testing.assert_array_equal(one, other)
    for variable, value in zip(kept[-1].variables, trained, strict=True):
        np.testing.assert_array_equal(variable, value)
    assert len(kept) == 4
