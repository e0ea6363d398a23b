"""Published recipes for a student on a task."""

import pytest

import mobilebert_tf as mb
from mobilebert_tf.errors import InputError
from mobilebert_tf.training import stage_files
from mobilebert_tf.training.recipes import catalogue as recipes

from .distilling import run


@pytest.mark.parametrize("recipe", ["pd", "bert_pkd_last"])
def test_recipes_of_a_task(place, tmp_path, recipe):
    run(place("classification"), tmp_path / "run",
        plan=mb.RecipePlan(name=recipe, source="task", steps=(2,), batch_size=8))
    (stage,) = stage_files.load(tmp_path / "run" / "stages.json")
    (template,) = recipes.get(recipe).templates_for("task")
    assert (stage.steps, stage.batch_size) == (2, 8)
    assert (stage.losses, stage.learning_rate) == (template.losses, template.learning_rate)
    assert stage.blocks == (((0, 0),) if template.layer_map else ())


def test_a_recipe_may_start_a_preset_from_blocks_of_the_teacher(
        place, make_task, make_model, save_model, tmp_path):
    task, said = make_task("classification", tmp_path / "data"), []
    save_model(tmp_path / "teacher", make_model(task, 1, num_blocks=4), task)
    run(place("classification"), tmp_path / "run", student="micro_bert", say=said.append,
        teacher=str(tmp_path / "teacher"), plan=mb.RecipePlan(
            name="bert_pkd_last", source="task", steps=(1,), batch_size=8))
    assert "blocks copied from the teacher's: 0, 1, 2" in said
    with pytest.raises(InputError, match=r"is of another run: it differs in task\.taken_over\."):
        run(place("classification"), tmp_path / "run", student="micro_bert",
            teacher=str(tmp_path / "teacher"), start_blocks=(1, 2, 3), plan=mb.RecipePlan(
                name="bert_pkd_last", source="task", steps=(1,), batch_size=8))


def test_a_recipe_for_augmented_rows_says_that_there_are_none(place, tmp_path):
    said = []
    with pytest.raises(InputError, match="has a batch size of 4,096, and the train split"):
        run(place("classification"), tmp_path / "run", say=said.append, plan=mb.RecipePlan(
            name="tinybert", source="task", steps=(1, 1), batch_size=4096))
    assert any("published with augmented examples, and there are none" in line for line in said)
