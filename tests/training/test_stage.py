"""The strategies' stages by hand, and what a stage refuses."""

import dataclasses
import math

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.kinds.kind import Kind
from mobilebert_tf.training import losses, stage_losses
from mobilebert_tf.training.distillation_plan import STRATEGIES, DistillationPlan
from mobilebert_tf.training.objectives import OBJECTIVES
from mobilebert_tf.training.pretraining_plan import PretrainingPlan
from mobilebert_tf.training.stage import Stage

COMPONENTS = ("embedding", "block_0", "block_1", "block_2", "pooler", "mlm", "nsp")
BLOCKS = ((0, 0), (1, 1), (2, 2))
PLAN = DistillationPlan(transfer_steps=100, distillation_steps=50, batch_size=8)
TRANSFER = {"normalized_feature_map": 100 / 24, "feature_mean": 5000 / 24,
            "feature_variance": 5 / 24, "attention": 1 / 24}
DISTILLATION = {"masked_lm": 0.5, "masked_lm_distillation": 0.5, "next_sentence": 1.0}
EVERYTHING = dict.fromkeys(COMPONENTS, 1.0)
VALID = {"name": "one", "steps": 10, "losses": {"masked_lm": 1.0}, "rates": {"mlm": 1.0},
         "learning_rate": 1e-3, "batch_size": 8}

LAST = Stage(name="distillation", steps=50, losses=DISTILLATION, rates=EVERYTHING,
             learning_rate=1.5e-3, batch_size=8, warmup_steps=5, end_rate=0.0)


def transfer(name, steps, rates, blocks, warmup_steps):
    return Stage(name=name, steps=steps, losses=TRANSFER, rates=rates, blocks=blocks,
                 learning_rate=4.5e-3, batch_size=8, warmup_steps=warmup_steps, end_rate=0.9)


def planned(strategy, components=COMPONENTS, blocks=BLOCKS, **changes):
    plan = dataclasses.replace(PLAN, strategy=strategy, **changes)
    return plan.stages(components, blocks)


def test_auxiliary_transfer_is_one_stage_with_all_losses():
    assert planned("auxiliary") == (
        Stage(name="auxiliary", steps=150, losses={**TRANSFER, **DISTILLATION}, rates=EVERYTHING,
              blocks=BLOCKS, learning_rate=1.5e-3, batch_size=8, warmup_steps=15),)


def test_joint_transfer_is_of_all_blocks_and_then_distillation():
    rates = {"block_0": 1.0, "block_1": 1.0, "block_2": 1.0}
    assert planned("joint") == (
        transfer("transfer", 100, rates, BLOCKS, 10), LAST)
    with_embedding = planned("joint", embedding_rate=0.25)
    assert with_embedding[0].rates == {"embedding": 0.25, **rates}


def test_progressive_transfer_is_a_stage_for_each_block_and_then_distillation():
    found = planned("progressive")
    assert found == (
        transfer("transfer_0", 33, {"block_0": 1.0}, ((0, 0),), 3),
        transfer("transfer_1", 33, {"block_0": 0.1, "block_1": 1.0}, ((1, 1),), 3),
        transfer("transfer_2", 34, {"block_0": 0.1, "block_1": 0.1, "block_2": 1.0}, ((2, 2),), 3),
        LAST)
    frozen = planned("progressive", earlier_rate=0.0)
    assert [stage.rates for stage in frozen[:3]] == [
        {"block_0": 1.0}, {"block_1": 1.0}, {"block_2": 1.0}]
    # The embedding's turn is the first block's.
    embedding = planned("progressive", embedding_rate=0.5)
    assert [stage.rates.get("embedding") for stage in embedding] == [
        0.5, 0.5 * 0.1, 0.5 * 0.1, 1.0]


def test_blocks_may_be_mapped_to_any_of_the_teachers():
    """A student of four blocks; the second is not compared and learns with the third."""
    components = (*COMPONENTS, "block_3")
    pairs = ((0, 5), (2, 1), (3, 11))
    found = planned("progressive", components, pairs)
    assert [stage.blocks for stage in found] == [((0, 5),), ((2, 1),), ((3, 11),), ()]
    assert [stage.name for stage in found] == ["transfer_0", "transfer_2", "transfer_3",
                                               "distillation"]
    assert [stage.rates for stage in found[:3]] == [
        {"block_0": 1.0}, {"block_0": 0.1, "block_1": 1.0, "block_2": 1.0},
        {"block_0": 0.1, "block_1": 0.1, "block_2": 0.1, "block_3": 1.0}]
    assert planned("joint", components, pairs)[0].blocks == pairs
    assert planned("auxiliary", components, pairs)[0].blocks == pairs


def test_progressive_transfer_needs_an_update_for_each_block():
    with pytest.raises(InputError, match="goes through 3 blocks and needs at least as many "
                                         "updates. Received: 2"):
        planned("progressive", transfer_steps=2)


@pytest.mark.parametrize("steps", [3, 7, 100, 240_000])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_steps_add_up_to_the_plans(strategy, steps):
    found = planned(strategy, transfer_steps=steps)
    assert sum(stage.steps for stage in found) == steps + 50
    assert found[-1].steps == (steps + 50 if strategy == "auxiliary" else 50)
    assert len({stage.name for stage in found}) == len(found)


@pytest.mark.parametrize("blocks", [(), ((1, 1), (0, 0)), ((0, 0), (0, 1))])
def test_progressive_transfer_needs_ascending_blocks(blocks):
    with pytest.raises(InputError, match="from the first to the last"):
        planned("progressive", blocks=blocks)


def test_a_plan_sets_losses_rates_and_every_further_field():
    plan = dataclasses.replace(
        PLAN, strategy="joint", transfer_losses={"feature_map": 1.0, "attention": 0.0},
        distillation_losses={"sentence_embedding": 2.0, "feature_map": 0.5},
        transfer_rate=1.0, distillation_rate=2.0, warmup_fraction=0.5, transfer_end_rate=0.25,
        options={"optimizer": "adamw", "masking_rate": 0.0, "count_padding": True})
    first, last = plan.stages(COMPONENTS, BLOCKS)
    assert (first.learning_rate, last.learning_rate) == (1.0, 2.0)
    assert (first.end_rate, last.end_rate) == (0.25, 0.0)
    assert (first.warmup_steps, last.warmup_steps) == (50, 25)
    assert first.active_losses == {"feature_map": 1.0}
    # Distillation may keep comparing blocks.
    assert last.blocks == BLOCKS
    assert {(stage.optimizer, stage.masking_rate, stage.count_padding)
            for stage in (first, last)} == {("adamw", 0.0, True)}
    assert plan.transfer_losses is not first.losses


def test_pretraining_has_no_teacher_and_has_dropout():
    plan = PretrainingPlan(steps=105, batch_size=8, learning_rate=1e-4)
    assert plan.stages(COMPONENTS) == (
        Stage(name="pretraining", steps=105, losses={"masked_lm": 1.0, "next_sentence": 1.0},
              rates=EVERYTHING, learning_rate=1e-4, batch_size=8, warmup_steps=10, dropout=True),)
    without, = dataclasses.replace(plan, steps=5, whole_word=True, options={
        "warmup_steps": 1}).stages(("embedding", "mlm"))
    assert without.losses == {"masked_lm": 1.0}
    assert without.rates == {"embedding": 1.0, "mlm": 1.0}
    assert (without.whole_word, without.warmup_steps) == (True, 1)
    assert not without.has_teacher
    part, = dataclasses.replace(plan, options={"warmup_fraction": 0.5}).stages(COMPONENTS)
    assert (part.warmup_steps, part.in_steps(1).warmup_steps) == (0, 52)
    unwanted, = dataclasses.replace(plan, next_sentence=False).stages(COMPONENTS)
    assert unwanted.losses == {"masked_lm": 1.0}
    assert unwanted.rates == {name: 1.0 for name in COMPONENTS if name != "nsp"}


@pytest.mark.parametrize(("names", "blocks", "has_teacher", "num_blocks"), [
    (("feature_map",), ((0, 1),), True, (1, 2)),
    (("attention", "feature_mean"), ((2, 0), (1, 5)), True, (3, 6)),
    (("masked_lm",), (), False, (None, None)),
    (("masked_lm", "next_sentence"), (), False, (None, None)),
    (("masked_lm_distillation",), (), True, (None, None)),
    (("sentence_embedding",), (), True, (None, None)),
    (("attention", "masked_lm"), ((0, 0),), True, (None, None))])
def test_a_stage_knows_what_its_losses_read(names, blocks, has_teacher, num_blocks):
    # A loss of weight 0 is as good as not there.
    weights = {"sentence_embedding": 0.0, "feature_variance": 0.0, **dict.fromkeys(names, 1.0)}
    stage = Stage(**{**VALID, "losses": weights, "blocks": blocks})
    assert (stage.has_teacher, stage.num_blocks) == (has_teacher, num_blocks)
    assert stage.active_losses == dict.fromkeys(names, 1.0)


def test_every_loss_has_a_function_and_says_the_same_of_its_teacher():
    for name, objective in OBJECTIVES.items():
        assert callable(getattr(Kind, objective.of_kind) if objective.of_kind
                        else getattr(losses, name))
        assert objective.over in stage_losses.PLACES
        assert objective.has_teacher == (name not in ("masked_lm", "next_sentence", "label"))
    stage = Stage(**{**VALID, "blocks": ((0, 0),), "losses": dict.fromkeys(OBJECTIVES, 1.0)})
    assert stage_losses.outputs(stage) == (
        ("attention_logits", "block_outputs", "head", "keys", "logit_factors", "mlm_logits",
         "nsp_logits", "pooled_output", "queries", "sequence_output", "values"),
        ("attention_logits", "block_outputs", "head", "keys", "logit_factors", "mlm_logits",
         "pooled_output", "queries", "sequence_output", "values"))
    assert stage_losses.alike_outputs(stage) == stage_losses.outputs(stage)[1]


def test_states_that_are_projected_need_not_be_alike():
    fields = {**VALID, "blocks": (("embedding", "embedding"), (0, 1))}
    stage = Stage(**{**fields, "losses": {"projected_feature_map": 1.0, "attention": 1.0}})
    assert stage_losses.alike_outputs(stage) == ("attention_logits",)
    both = Stage(**{**fields, "losses": {"projected_feature_map": 1.0, "feature_mean": 1.0}})
    assert stage_losses.alike_outputs(both) == ("block_outputs", "embedding_output")


@pytest.mark.parametrize(("names", "blocks", "num_blocks", "outputs"), [
    (("feature_map",), (("embedding", "embedding"),), (0, 0),
     (("embedding_output",), ("embedding_output",))),
    (("patience",), (("embedding", 1),), (0, 2), (("embedding_output",), ("block_outputs",))),
    (("feature_map",), (("embedding", "embedding"), (0, 2)), (1, 3),
     (("block_outputs", "embedding_output"),) * 2),
    (("attention_scores",), (("embedding", "embedding"), (0, 2)), (1, 3),
     (("attention_logits",),) * 2)])
def test_a_stage_may_compare_the_embedding_as_a_block(names, blocks, num_blocks, outputs):
    stage = Stage(**{**VALID, "losses": dict.fromkeys(names, 1.0), "blocks": blocks})
    assert stage.num_blocks == num_blocks
    assert stage_losses.outputs(stage) == outputs


COMPARING = {"losses": {"attention": 1.0}, "blocks": ((0, 0),)}


@pytest.mark.parametrize(("fields", "message"), [
    ({"losses": {"masked_lm": 1, "distance": 1}}, "has no loss distance; known are feature_map,"),
    ({"losses": {}}, "has no loss$"),
    ({"losses": {"masked_lm": 0.0}}, "has no loss$"),
    ({"losses": {"masked_lm": -1.0}}, "a loss whose weight is negative or infinite"),
    ({"losses": {"masked_lm": math.inf}}, "a loss whose weight is negative or infinite"),
    ({"rates": {}}, "trains nothing"),
    ({"rates": {"mlm": 0.0}}, "trains nothing"),
    ({"rates": {"mlm": 1.0, "nsp": -0.1}}, "a negative or an infinite rate"),
    ({"rates": {"mlm": math.inf}}, "a negative or an infinite rate"),
    ({"steps": 0}, "has 0 steps"),
    ({"batch_size": 0}, "has a batch size of 0"),
    ({"warmup_steps": 10}, "10 warm-up steps of 10"),
    ({"warmup_steps": -1}, "-1 warm-up steps"),
    ({"steps": None, "epochs": 2, "warmup_steps": 1}, "beside epochs, give a warmup_fraction"),
    ({"learning_rate": 0.0}, "a learning rate of 0.0"),
    ({"learning_rate": math.inf}, "a learning rate of inf"),
    ({"temperature": 0.0}, "a temperature of 0.0"),
    ({"temperature": math.inf}, "a temperature of inf"),
    ({"end_rate": 1.5}, "an end_rate of 1.5"),
    ({"end_rate": -0.5}, "an end_rate of -0.5"),
    ({"masking_rate": 1.0}, "a masking_rate of 1.0"),
    ({"masking_rate": -0.1}, "a masking_rate of -0.1"),
    ({"replacement_rate": 1.1}, "a replacement_rate of 1.1"),
    ({"masking_rate": 0.0}, "predicts tokens but masks none"),
    ({"losses": {"masked_lm_distillation": 1.0}, "masking_rate": 0.0}, "but masks none"),
    ({"optimizer": "sgd"}, "the optimizer 'sgd'; known are lamb, adamw"),
    ({"blocks": ((0, 0),)}, "should have blocks if and only if"),
    ({**COMPARING, "blocks": ()}, "should have blocks if and only if"),
    ({**COMPARING, "blocks": ((0, 0, 0),)}, "blocks that are not pairs"),
    ({**COMPARING, "blocks": ((0, "pooler"),)}, "neither a number nor 'embedding'"),
    ({**COMPARING, "blocks": (("embedding", 0),)}, "every pair of blocks names the embedding"),
])
def test_a_wrong_stage_is_refused_by_its_name(fields, message):
    with pytest.raises(InputError, match=message) as caught:
        Stage(**{**VALID, **fields})
    assert str(caught.value).startswith("stage 'one' ")


@pytest.mark.parametrize("given", [
    {"warmup_steps": 9, "end_rate": 1.0, "masking_rate": 0.99, "steps": 10},
    {"losses": {"sentence_embedding": 1.0}, "masking_rate": 0.0},
    {**COMPARING, "masking_rate": 0.0}])
def test_what_is_next_to_wrong_is_accepted(given):
    stage = Stage(**{**VALID, **given})
    assert {name: getattr(stage, name) for name in given} == given
