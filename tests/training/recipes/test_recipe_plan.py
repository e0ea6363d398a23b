"""A plan by a recipe: what it refuses, and what a student starts from."""

import pytest

import mobilebert_tf as mb
from mobilebert_tf.inference.batch.job_settings import JobSettings
from mobilebert_tf.training.recipes import catalogue
from mobilebert_tf.training.recipes.layer_maps import same
from mobilebert_tf.training.task.task_plan import TaskPlan


def test_starts():
    assert mb.RecipePlan(name="distilbert").start(6, 12) == (True, (0, 2, 4, 7, 9, 11))
    assert mb.RecipePlan(name="mobilebert").start(24, 24) == (True, ())
    assert mb.RecipePlan(name="pd").start(4, 12) == (False, ())
    assert mb.DistillationPlan().start(24, 24) == (True, ())
    # The user's go in place of the recipe's, also where that has none for such models.
    for plan in (mb.RecipePlan(name="distilbert"), mb.DistillationPlan()):
        for blocks in ((), (0, 0, 1)):
            assert plan.start(3, 2, blocks) == (True, blocks)


@pytest.mark.parametrize(("sizes", "message"), [
    ({"batch_size": 0}, "batch_size should be 1 or more. Received: 0"),
    ({"steps": (5, -1)}, "steps should be 1 or more. Received: -1")])
def test_sizes_below_one_are_refused(sizes, message):
    with pytest.raises(mb.InputError, match=message):
        mb.RecipePlan(name="distilbert", **sizes)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: mb.DistillationPlan(distillation_losses={"typo": 1.0}), "there is no loss typo"),
    (lambda: mb.DistillationPlan(transfer_steps="3"), "transfer_steps should be a whole number"),
    (lambda: mb.RecipePlan(name="tinybert", steps=5), "steps should be "),
    (lambda: mb.PretrainingPlan(steps=1.5), "steps should be a whole number"),
    (lambda: TaskPlan(epochs="3"), "epochs should be a whole number. Received: '3'"),
    (lambda: JobSettings(second_text=5), "second_text should be a text or None")])
def test_a_wrong_type_and_an_unknown_loss_are_refused(make, message):
    with pytest.raises(mb.InputError, match=message):
        make()


def test_mobileberts_recipe_does_what_its_plan_does():
    arguments = (("embedding", "block_0", "block_1", "mlm", "nsp"), 2, 2, 1000)
    for blocks in (None, (1, 1)):
        by_recipe = mb.RecipePlan(name="mobilebert", steps=(10, 20), batch_size=8)
        by_plan = mb.DistillationPlan(transfer_steps=10, distillation_steps=20, batch_size=8)
        assert by_recipe.losses == by_plan.losses
        stages = by_plan.stages_for(*arguments, blocks)
        assert by_recipe.stages_for(*arguments, blocks) == stages
        assert stages == by_plan.stages(arguments[0], same(2, 2, blocks))


def test_recipes_that_read_no_corpus_and_unknown_ones_are_refused():
    with pytest.raises(mb.InputError, match="bert_pkd reads a task, not a corpus"):
        mb.RecipePlan(name="bert_pkd")
    with pytest.raises(mb.InputError, match="unknown recipe 'distillbert'; did you mean distilb"):
        mb.RecipePlan(name="distillbert")


def test_the_losses_of_all_stages_over_a_corpus():
    transfer = {"normalized_feature_map", "feature_mean", "feature_variance", "attention"}
    distillation = {"masked_lm", "masked_lm_distillation", "next_sentence"}
    assert {name: set(mb.RecipePlan(name=name).losses)
            for name in catalogue.names_for("corpus")} == {
        "mobilebert": transfer | distillation, "mobilebert_joint": transfer | distillation,
        "mobilebert_auxiliary": transfer | distillation,
        "distilbert": {"all_token_distillation", "masked_lm", "last_state_cosine"},
        "tinybert": {"attention_scores", "projected_feature_map"}, "pd": {"masked_lm"},
        "minilm": {"attention", "value_relation"},
        "minilmv2": {"query_relation", "key_relation", "value_relation"}}
