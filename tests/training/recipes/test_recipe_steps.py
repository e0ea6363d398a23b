"""Every stage of every recipe trains: two steps of small models, with the recipe's own numbers."""

import dataclasses

import pytest
import tensorflow as tf
import tf_keras as keras

import mobilebert_tf as mb
from mobilebert_tf.training.components import components
from mobilebert_tf.training.recipes import catalogue

from ..steps import new_step, spec, unchanged, values

# A student narrower than its teacher, in the recipes that allow it; 48 relation heads divide both.
WIDER = {"hidden_size": 96, "embedding_size": 96}
CASES = [(name, source) for name, recipe in catalogue.RECIPES.items() for source in recipe.needs]


@pytest.fixture(scope="module")
def models():
    """source, width of the teacher -> student and teacher of two and four blocks."""
    made = {}

    def make(source, wider):
        if (source, wider) not in made:
            keras.utils.set_random_seed(1)
            configs = [dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=blocks, **more)
                       for blocks, more in ((2, {}), (4, WIDER if wider else {}))]
            head = mb.Pretrainer if source == "corpus" else (
                lambda encoder: mb.Classifier(encoder, 3))
            made[source, wider] = [head(mb.Encoder(config)) for config in configs]
        return made[source, wider]

    return make


@pytest.mark.parametrize(("name", "source"), CASES)
@pytest.mark.usefixtures("eagerly")
def test_every_stage_trains(name, source, models, make_batch):
    student, teacher = models(source, name in ("tinybert", "minilmv2"))
    batch = {**make_batch(), "targets/logits": tf.constant([0, 2, 1, 1]),
             "label_weights": tf.ones(4), "soft_label_weights": tf.ones(4)}
    recipe = catalogue.get(name)
    # MobileBERT pairs equal numbers of blocks.
    blocks = (1, 3) if name.startswith("mobilebert") else None
    stages = recipe.stages(
        source, components=tuple(components(student)), student_blocks=2, teacher_blocks=4,
        examples=4, batch_size=4, steps=[8] * len(recipe.templates_for(source)), blocks=blocks)
    for stage in stages:
        before = values(student)
        step = new_step(stage, student, teacher).function(spec(batch))
        first = {key: float(value) for key, value in step(batch).items()}
        assert set(stage.active_losses) <= set(first)
        assert first["gradient_norm"] > 0
        step(batch)
        assert not unchanged(student, before)
        for component, variables in components(student).items():
            if not stage.rates.get(component):
                assert all((variable.numpy() == was).all() for variable, was in zip(
                    variables, before[component], strict=True)), component
