"""MobileBERT: knowledge transfer block by block, of all blocks at once, or beside distillation."""

from mobilebert_tf.training.distillation_plan import DistillationPlan
from mobilebert_tf.training.recipes.recipe import DistillationRecipe


def _of(strategy, description):
    return DistillationRecipe(
        description=description, source="Sun et al. 2020, arXiv:2004.02984",
        start="teacher_embedding", templates=DistillationPlan(strategy=strategy).templates)


MOBILEBERT = _of("progressive", "feature maps and attention block by block, then distillation")
MOBILEBERT_JOINT = _of("joint", "feature maps and attention of all blocks, then distillation")
MOBILEBERT_AUXILIARY = _of("auxiliary", "feature maps, attention and distillation at once")
