"""The recipes: their numbers have sources, and become the stages that were published."""

import dataclasses

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.training.distillation_plan import STRATEGIES, DistillationPlan
from mobilebert_tf.training.objectives import OBJECTIVES
from mobilebert_tf.training.recipes import catalogue
from mobilebert_tf.training.recipes.layer_maps import uniform
from mobilebert_tf.training.recipes.recipe import DistillationRecipe
from mobilebert_tf.training.recipes.stage_template import StageTemplate
from mobilebert_tf.training.stage import Stage

COMPONENTS = ("embedding", *(f"block_{index}" for index in range(4)), "pooler", "mlm", "nsp")
TEMPLATES = [(name, template) for name, recipe in catalogue.RECIPES.items()
             for template in recipe.templates]
# Fields of a template that are numbers or choices of a paper, and the value that says nothing.
SOURCED = {"losses": None, "learning_rate": None, "batch_size": None, "layer_map": None,
           "epochs": None, "steps": None, "warmup_fraction": None, "end_rate": None,
           "optimizer": "lamb", "embedding_rate": 1.0, "earlier_rate": 1.0}


def template(**fields):
    return StageTemplate(**{"name": "one", "reads": "corpus", "losses": {"feature_map": 1.0},
                            "learning_rate": 1e-3, "batch_size": 8, "epochs": 2, **fields})


def made(recipe, source="corpus", **changes):
    return recipe.stages(source, **{"components": COMPONENTS, "student_blocks": 4,
                                    "teacher_blocks": 12, "examples": 1000, **changes})


@pytest.mark.parametrize(("name", "template"), TEMPLATES)
def test_every_number_has_a_source(name, template):
    numbers = {field for field, nothing in SOURCED.items()
               if getattr(template, field) not in (nothing, None)} | set(template.options)
    if template.layer_map and name.startswith("mobilebert"):
        numbers.remove("layer_map")  # each block with its own
    assert numbers <= set(template.sources), numbers - set(template.sources)
    assert all(template.sources.values())
    fields = {field.name for field in dataclasses.fields(StageTemplate)}
    assert set(template.sources) <= fields | set(template.options)


@pytest.mark.parametrize(("name", "template"), TEMPLATES)
def test_a_stage_lasts_a_number_of_passes_or_of_updates(name, template):
    assert (template.epochs is None) != (template.steps is None)


def test_losses_exist():
    assert {loss for _, one in TEMPLATES for loss in one.losses} <= set(OBJECTIVES)


def test_what_each_recipe_needs():
    assert {name: recipe.needs for name, recipe in catalogue.RECIPES.items()} == {
        "mobilebert": ("corpus",), "mobilebert_joint": ("corpus",),
        "mobilebert_auxiliary": ("corpus",), "distilbert": ("corpus",),
        "distilbert_d": ("task",), "tinybert": ("corpus", "task"), "bert_pkd": ("task",),
        "bert_pkd_last": ("task",), "pd": ("corpus", "task"), "minilm": ("corpus",),
        "minilmv2": ("corpus",)}
    assert [name for name, recipe in catalogue.RECIPES.items() if recipe.augments] == ["tinybert"]
    assert [name for name, recipe in catalogue.RECIPES.items() if recipe.start_blocks] == [
        "distilbert", "bert_pkd", "bert_pkd_last"]
    for recipe in catalogue.RECIPES.values():
        assert recipe.start == "teacher_embedding" or not recipe.start_blocks
        assert recipe.description
        assert recipe.source


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_mobileberts_recipes_are_its_strategies(strategy):
    name = {"progressive": "mobilebert"}.get(strategy, f"mobilebert_{strategy}")
    stages = made(catalogue.get(name), teacher_blocks=4)
    pairs = tuple((block, block) for block in range(4))
    assert stages == DistillationPlan(strategy=strategy).stages(COMPONENTS, pairs)
    assert sum(stage.steps for stage in stages) == 20_000


def test_distilbert_by_hand():
    stage, = made(catalogue.get("distilbert"), examples=1001)
    assert stage == Stage(
        name="distillation", steps=12,  # 3 passes of 4 batches of 250
        losses={"all_token_distillation": 5.0, "masked_lm": 2.0, "last_state_cosine": 1.0},
        rates=dict.fromkeys(COMPONENTS, 1.0), learning_rate=5e-4, batch_size=250, warmup_steps=0,
        end_rate=0.0, optimizer="adamw", masking_rate=0.15, temperature=2.0, dropout=True)


def test_tinyberts_losses_are_sums_over_the_pairs_that_each_compares():
    """Attention of 4 blocks; states of 4 blocks and of the embedding."""
    one = template(losses={"attention_scores": 1.0, "feature_map": 0.5, "masked_lm": 2.0},
                   sums_over_blocks=True, layer_map=uniform)
    stage, = made(DistillationRecipe(description="d", source="s", start="random", templates=(one,)))
    assert stage.losses == {"attention_scores": 4.0, "feature_map": 2.5, "masked_lm": 2.0}
    assert stage.blocks == uniform(4, 12)
    means = dataclasses.replace(one, sums_over_blocks=False)
    assert means.stages(COMPONENTS, uniform(4, 12), 5)[0].losses == one.losses
    for place in (0, 1):
        assert catalogue.get("tinybert").templates[place].sums_over_blocks
        assert catalogue.get("tinybert").templates[place].layer_map is uniform


def test_the_users_numbers_replace_the_recipes():
    recipe = catalogue.get("mobilebert_joint")
    stages = made(recipe, teacher_blocks=4, steps=(7, 9), batch_size=5, learning_rate=3e-4)
    assert [(stage.steps, stage.batch_size, stage.learning_rate) for stage in stages] == [
        (7, 5, 3e-4), (9, 5, 3e-4)]
    assert made(recipe, blocks=(2, 5, 8, 11))[0].blocks == ((0, 2), (1, 5), (2, 8), (3, 11))
    whole, = made(catalogue.get("distilbert"), batch_size=10)
    assert whole.steps == 300
    assert whole.warmup_steps == 15
    assert made(catalogue.get("distilbert"), examples=1)[0].steps == 3


@pytest.mark.parametrize(("name", "changes", "sentence"), [
    ("distilbert", {"source": "task"}, "no stage over a task; it reads a corpus"),
    ("bert_pkd", {}, "no stage over a corpus; it reads a task"),
    ("mobilebert_joint", {"steps": (1, 2, 3), "teacher_blocks": 4},
     "2 stages over a corpus: transfer, distillation. .* Received: 1, 2, 3"),
    ("mobilebert", {}, "has 4 blocks and the teacher 12"),
    ("distilbert", {"blocks": (7,)}, "compares no blocks over a corpus: leave out blocks")])
def test_requests_that_do_not_fit_are_refused(name, changes, sentence):
    with pytest.raises(InputError, match=sentence):
        made(catalogue.get(name), **changes)


def test_unknown_names_are_answered_with_the_near_ones():
    with pytest.raises(InputError, match="unknown recipe 'tiny_bert'; did you mean tinybert"):
        catalogue.get("tiny_bert")
    with pytest.raises(InputError, match="did you mean mobilebert, .*minilmv2"):
        catalogue.get("zzzz")
