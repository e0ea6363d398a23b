"""What a step of every stage changes, and what it leaves as it was."""

import numpy as np
import pytest
import tensorflow as tf

from mobilebert_tf.training.components import components
from mobilebert_tf.training.pretraining_plan import PretrainingPlan

from .steps import (
    ALL,
    make_stage,
    new_step,
    plan,
    spec,
    still,
    take_step,
    unchanged,
    values,
)

STAGES = {  # name -> (stage, what it should change)
    "auxiliary": (plan("auxiliary")[0], ALL),
    "joint, transfer": (plan("joint")[0], ("block_0", "block_1", "block_2")),
    "joint, distillation": (plan("joint")[1], ALL),
    "progressive, block 0": (plan("progressive")[0], ("block_0",)),
    "progressive, block 1": (plan("progressive")[1], ("block_0", "block_1")),
    "progressive, block 2": (plan("progressive")[2],
                             ("block_0", "block_1", "block_2")),
    "progressive, distillation": (plan("progressive")[3], ALL),
    "progressive with frozen blocks": (plan("progressive", earlier_rate=0.0)[1], ("block_1",)),
    "progressive with its embedding": (plan("progressive", embedding_rate=0.5)[0],
                                     ("embedding", "block_0")),
    "pretraining": (PretrainingPlan(steps=10, batch_size=4, learning_rate=1e-3,
                                    optimizer="adamw").stages(ALL)[0], ALL),
    "heads alone": (make_stage({"masked_lm": 1, "next_sentence": 1}, ("mlm", "nsp")),
                    ("mlm", "nsp")),
}


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.usefixtures("eagerly")
def test_one_step_changes_what_the_stage_names_and_nothing_else(
        name, student_and_teacher, make_batch):
    stage, expected = STAGES[name]
    student, teacher = student_and_teacher
    before, teacher_weights = values(student), teacher.get_weights()
    scalars = take_step(stage, student, teacher if stage.has_teacher else None, make_batch())
    assert all(np.isfinite(value) for value in scalars.values())
    found = still(student, before)
    assert tuple(found) == ALL
    for component, unmoved in found.items():
        if component in expected:
            assert unmoved == [], component
        else:
            assert all(map(np.array_equal, components(student)[component], before[component])), (
                component)
    for weights, was in zip(teacher.get_weights(), teacher_weights, strict=True):
        assert weights.tobytes() == was.tobytes()


@pytest.mark.usefixtures("eagerly")
def test_a_pooler_with_weights_is_trained_by_what_reads_it(build, make_batch):
    """A student with a pooler of its own: BERT's."""
    student = build("micro_bert", 1, ("mlm",), num_blocks=1)
    teacher = build("micro_bert", 2, (), num_blocks=1)
    named = ("embedding", "block_0", "pooler", "mlm")
    assert tuple(components(student)) == named
    stage = make_stage({"sentence_embedding": 1.0}, named)
    before = values(student)
    take_step(stage, student, teacher, make_batch())
    found = still(student, before)
    assert found.pop("mlm") == [variable.name for variable in components(student)["mlm"]]
    assert not any(found.values())


@pytest.mark.usefixtures("eagerly")
def test_what_no_loss_reaches_is_not_even_decayed(student_and_teacher, make_batch):
    """Attention's logits pass by the values and feed-forwards of their own block."""
    student, teacher = student_and_teacher
    before = values(student)
    take_step(make_stage({"attention": 1.0}, ("block_0", "block_1"), blocks=((1, 1),)),
              student, teacher, make_batch())
    found = still(student, before)
    assert found["block_0"] == []
    parts = {name.split("block_1/")[1].split("/")[0] for name in found["block_1"]}
    assert "shared_bottleneck" not in parts
    assert {"attention_output", "feed_forward_0", "output_bottleneck"} <= parts
    assert not [name for name in found["block_1"] if "attention/query" in name]


@pytest.mark.usefixtures("eagerly")
def test_a_component_moves_by_its_part_of_the_learning_rate(student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    before = values(student)
    moved = []
    for rate in (1.0, 0.1):
        stage = make_stage({"feature_map": 1.0}, {"block_0": rate, "block_1": 1.0},
                           blocks=((1, 1),))
        take_step(stage, student, teacher, make_batch())
        moved.append({name: [variable.numpy() - was for variable, was in zip(
            variables, before[name], strict=True)]
            for name, variables in components(student).items()})
        for name, variables in components(student).items():
            for variable, was in zip(variables, before[name], strict=True):
                variable.assign(was)
    for component, part in (("block_0", 0.1), ("block_1", 1.0)):
        for full, found in zip(moved[0][component], moved[1][component], strict=True):
            np.testing.assert_allclose(found, part * full, atol=3e-7)
        assert max(abs(full).max() for full in moved[0][component]) > 9e-4


@pytest.mark.usefixtures("eagerly")
def test_gradients_are_clipped_by_their_common_norm(student_and_teacher, make_batch):
    """After one step Adam's first moments are a tenth of the gradients, here of two optimizers."""
    student, teacher = student_and_teacher
    stage = make_stage({"feature_map": 1.0}, {"block_0": 1.0, "block_1": 0.1}, blocks=((1, 1),))
    step, batch = new_step(stage, student, teacher, clip_norm=1e-3), make_batch()
    norm = float(step.function(spec(batch))(batch)["gradient_norm"])
    moments = [[variable for variable in optimizer.variables if "m/" in variable.name]
               for optimizer in step.optimizers]
    assert len(moments) == 2
    assert all(float(tf.linalg.global_norm(some)) > 0 for some in moments)
    assert float(tf.linalg.global_norm(sum(moments, []))) == pytest.approx(1e-4, rel=1e-3)
    assert norm > 1e-2  # as it was before clipping


@pytest.mark.usefixtures("eagerly")
def test_measuring_changes_nothing(student_and_teacher, make_batch):
    student, teacher = student_and_teacher
    before = values(student)
    step = new_step(STAGES["auxiliary"][0], student, teacher)
    batch = make_batch()
    found = step.measuring_function(spec(batch))(batch)
    measured, places = ({name: float(pair[index]) for name, pair in found.items()}
                        for index in (0, 1))
    masked = float(tf.reduce_sum(batch["masked_weights"]))
    # The third of the four rows has no label.
    assert places == {
        **dict.fromkeys(("normalized_feature_map", "feature_mean", "feature_variance",
                         "attention"), float(np.sum(batch["input_mask"]))),
        **dict.fromkeys(("masked_lm", "masked_lm_distillation", "masked_lm_accuracy"), masked),
        **dict.fromkeys(("next_sentence", "next_sentence_accuracy"), 3.0)}
    assert unchanged(student, before)
    assert [int(optimizer.iterations) for optimizer in step.optimizers] == [0]
    taken = step.function(spec(batch))(batch)
    assert set(taken) - set(measured) == {
        "loss", "gradient_norm", "tokens", "places/tokens", "places/predictions", "places/pairs"}
    assert [float(taken[f"places/{name}"]) for name in ("tokens", "predictions", "pairs")] == [
        np.sum(batch["input_mask"]), masked, 3.0]
    for name in taken.keys() & measured.keys():
        np.testing.assert_allclose(taken[name], measured[name], rtol=1e-6)


def test_a_loss_that_is_not_finite_raises_and_changes_nothing(student_and_teacher, make_batch):
    """In a graph, where nothing but a control dependency holds the update back."""
    student, _ = student_and_teacher
    stage = make_stage({"masked_lm": 1.0, "next_sentence": 1.0}, {"block_2": 1.0, "mlm": 0.5})
    step = new_step(stage, student)
    batch = make_batch()
    function = step.function(spec(batch))
    function(batch)
    before = values(student)
    slots = [variable.numpy() for one in step.optimizers for variable in one.variables]
    assert len(slots) > 20
    wrong = {**batch, "masked_weights": batch["masked_weights"] * tf.constant(
        [[1.0], [np.nan], [1.0], [1.0]])}
    with pytest.raises(tf.errors.InvalidArgumentError, match="the loss is not finite"):
        function(wrong)
    assert unchanged(student, before)
    for variable, was in zip([variable for one in step.optimizers for variable in one.variables],
                             slots, strict=True):
        assert np.array_equal(variable, was), variable.name
    function(batch)  # and training can go on
    assert not unchanged(student, before)


@pytest.mark.usefixtures("eagerly")
def test_a_gradient_that_is_not_finite_raises_and_changes_nothing(
        student_and_teacher, make_batch):
    student, _ = student_and_teacher
    before = values(student)
    # The loss is finite, the square of its gradient is not.
    stage = make_stage({"masked_lm": 1e30}, ("mlm",))
    with pytest.raises(tf.errors.InvalidArgumentError, match="a gradient is not finite"):
        take_step(stage, student, None, make_batch())
    assert unchanged(student, before)
