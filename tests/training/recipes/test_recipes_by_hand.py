"""The stages of every recipe, as the papers and the authors' code state them.

The sources of the numbers are beside them in the recipes. 25,600 examples are 100 batches of 256
and 800 of 32; the student has 4 blocks, the teacher 12.
"""

import pytest

from mobilebert_tf.training.recipes import catalogue
from mobilebert_tf.training.stage import Stage

BODY = ("embedding", "block_0", "block_1", "block_2", "block_3", "pooler")
COMPONENTS = {"corpus": (*BODY, "mlm", "nsp"), "task": (*BODY, "head")}
UNIFORM = (("embedding", "embedding"), (0, 2), (1, 5), (2, 8), (3, 11))
SKIP, LAST = ((0, 2), (1, 5), (2, 8)), ((0, 8), (1, 9), (2, 10))
# The sums over four blocks, and for states over the embedding too.
TINYBERT_LOSSES = {"attention_scores": 4.0, "projected_feature_map": 5.0}


def patient(blocks):
    return {"name": "patient", "steps": 4 * 800, "warmup_steps": 320, "batch_size": 32,
            "losses": {"label": 0.3, "soft_label": 0.7, "patience": 500.0}, "temperature": 10.0,
            "learning_rate": 1e-5, "blocks": blocks}


@pytest.mark.parametrize(("name", "source", "stages"), [
    ("tinybert", "corpus", [
        {"name": "general", "steps": 3 * 100, "warmup_steps": 30, "batch_size": 256,
         "losses": TINYBERT_LOSSES, "learning_rate": 5e-5, "blocks": UNIFORM,
         "masking_rate": 0.0}]),
    ("tinybert", "task", [
        {"name": "intermediate", "steps": 10 * 800, "batch_size": 32, "losses": TINYBERT_LOSSES,
         "learning_rate": 5e-5, "end_rate": 1.0, "blocks": UNIFORM},
        {"name": "prediction", "steps": 3 * 800, "warmup_steps": 240, "batch_size": 32,
         "losses": {"soft_label": 1.0}, "learning_rate": 3e-5}]),
    ("minilm", "corpus", [
        {"name": "distillation", "steps": 400_000, "warmup_steps": 4_000, "batch_size": 1024,
         "losses": {"attention": 1.0, "value_relation": 1.0}, "learning_rate": 5e-4,
         "blocks": ((3, 11),), "masking_rate": 0.0}]),
    ("minilmv2", "corpus", [
        {"name": "distillation", "steps": 400_000, "warmup_steps": 4_000, "batch_size": 256,
         "losses": {"query_relation": 1.0, "key_relation": 1.0, "value_relation": 1.0},
         "learning_rate": 6e-4, "blocks": ((3, 11),), "relation_heads": 48,
         "masking_rate": 0.0}]),
    ("bert_pkd", "task", [patient(SKIP)]),
    ("bert_pkd_last", "task", [patient(LAST)]),
    ("pd", "corpus", [
        {"name": "pretraining", "steps": 40 * 100, "warmup_steps": 40, "batch_size": 256,
         "losses": {"masked_lm": 1.0}, "learning_rate": 1e-4, "masking_rate": 0.15}]),
    ("pd", "task", [
        {"name": "distillation", "steps": 4 * 800, "warmup_steps": 320, "batch_size": 32,
         "losses": {"soft_label": 1.0}, "learning_rate": 1e-4, "temperature": 1.0}]),
    ("distilbert_d", "task", [
        {"name": "fine_tuning", "steps": 3 * 800, "batch_size": 32,
         "losses": {"label": 0.5, "soft_label": 0.5}, "learning_rate": 5e-5,
         "temperature": 2.0}])])
def test_stages(name, source, stages):
    made = catalogue.get(name).stages(
        source, components=COMPONENTS[source], student_blocks=4, teacher_blocks=12,
        examples=25_600)
    shared = {"rates": dict.fromkeys(COMPONENTS[source], 1.0), "optimizer": "adamw",
              "dropout": True}
    assert made == tuple(Stage(**shared, **one) for one in stages)


def test_tinybert_alone_reads_augmented_rows():
    assert {(name, template.name) for name, recipe in catalogue.RECIPES.items()
            for template in recipe.templates if template.augmented} == {
        ("tinybert", "intermediate"), ("tinybert", "prediction")}
