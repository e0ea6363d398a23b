"""MiniLM and MiniLMv2: relations inside the self-attention of one block."""

from mobilebert_tf.training.recipes.layer_maps import last_block, upper_block
from mobilebert_tf.training.recipes.recipe import DistillationRecipe
from mobilebert_tf.training.recipes.stage_template import StageTemplate

_PAPER = "Wang et al. 2020, arXiv:2002.10957"
_PAPER_2 = "Wang et al. 2021, arXiv:2012.15828"


def _sources(paper, losses, layer_map):
    stated = f"{paper}, set-up of its experiments; not looked up again"
    return {
        "losses": f"{paper}, {losses}", "layer_map": f"{paper}, {layer_map}",
        **dict.fromkeys(("optimizer", "learning_rate", "batch_size", "steps", "warmup_fraction",
                         "end_rate", "dropout"), stated),
        "masking_rate": "the relations need no masked words"}


MINILM = DistillationRecipe(
    description="attention and relations of values of the last block",
    source=_PAPER, start="random",
    templates=(StageTemplate(
        name="distillation", reads="corpus", losses={"attention": 1.0, "value_relation": 1.0},
        layer_map=last_block, optimizer="adamw", learning_rate=5e-4, batch_size=1024,
        steps=400_000, warmup_fraction=0.01, options={"masking_rate": 0.0, "dropout": True},
        sources=_sources(_PAPER, "sum of both with equal weights", "last layer")),),
    differences=(
        "Without a teacher assistant. The authors use one if the student has at most half the "
        "blocks and half the width.",
        "Their training code was never published."))

MINILMV2 = DistillationRecipe(
    description="relations of queries, keys and values in 48 heads of one block; heads and widths "
                "may differ",
    source=_PAPER_2, start="random",
    templates=(StageTemplate(
        name="distillation", reads="corpus",
        losses={"query_relation": 1.0, "key_relation": 1.0, "value_relation": 1.0},
        layer_map=upper_block, optimizer="adamw", learning_rate=6e-4, batch_size=256,
        steps=400_000, warmup_fraction=0.01,
        options={"relation_heads": 48, "masking_rate": 0.0, "dropout": True},
        sources={**_sources(_PAPER_2, "sum of the three with equal weights",
                          "an upper middle layer of large teachers, else the last"),
                 "relation_heads": f"{_PAPER_2}: 48 for teachers of base size"}),),
    differences=("Their training code was never published.",))
