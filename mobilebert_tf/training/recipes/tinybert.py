"""TinyBERT: the transformer layers on plain text, then on the augmented task, then predictions."""

from mobilebert_tf.training.recipes.layer_maps import uniform
from mobilebert_tf.training.recipes.recipe import DistillationRecipe
from mobilebert_tf.training.recipes.stage_template import StageTemplate

_PAPER = "Jiao et al. 2020, arXiv:1909.10351"
_GENERAL = "general_distill.py of the authors' code"
_TASK = "task_distill.py of the authors' code"
_README = "README of the authors' code"

# Equation 11: attention scores of every layer, and states with the embedding's, weights of 1.
_LAYERS = {"attention_scores": 1.0, "projected_feature_map": 1.0}
_LAYER_SOURCES = {"losses": f"{_PAPER}, equation 11", "layer_map": f"{_PAPER}, the uniform map"}

TINYBERT = DistillationRecipe(
    description="attention scores and projected states of evenly chosen blocks, on text and then "
                "on the augmented task; then soft labels",
    source=_PAPER, start="random",
    templates=(
        StageTemplate(
            name="general", reads="corpus", losses=_LAYERS, layer_map=uniform,
            sums_over_blocks=True, optimizer="adamw", learning_rate=5e-5, batch_size=256, epochs=3,
            warmup_fraction=0.1, options={"masking_rate": 0.0, "dropout": True},
            sources={
                **_LAYER_SOURCES, "learning_rate": _GENERAL, "epochs": _GENERAL,
                "batch_size": f"{_README}; the default of its script is 32",
                "warmup_fraction": _GENERAL, "end_rate": _GENERAL, "optimizer": _GENERAL,
                "masking_rate": "pregenerate_training_data.py: masked_lm_prob is 0, so the student "
                                "reads whole text",
                "dropout": _GENERAL}),
        StageTemplate(
            name="intermediate", reads="task", augmented=True, losses=_LAYERS,
            layer_map=uniform, sums_over_blocks=True, optimizer="adamw", learning_rate=5e-5,
            end_rate=1.0, batch_size=32, epochs=10, options={"dropout": True},
            sources={
                **_LAYER_SOURCES, "learning_rate": f"{_TASK}, constant", "batch_size": _TASK,
                "epochs": f"{_README}; the table of epochs in the code is never applied",
                "warmup_fraction": f"{_TASK}: none", "end_rate": f"{_TASK}: constant",
                "optimizer": _TASK, "dropout": _TASK}),
        StageTemplate(
            name="prediction", reads="task", augmented=True, losses={"soft_label": 1.0},
            optimizer="adamw", learning_rate=3e-5, batch_size=32, epochs=3, warmup_fraction=0.1,
            options={"temperature": 1.0, "dropout": True},
            sources={
                "losses": f"{_PAPER}, equation 10; no hard labels", "learning_rate": _README,
                "batch_size": f"{_PAPER}: 16 or 32", "epochs": _README, "warmup_fraction": _TASK,
                "end_rate": _TASK, "optimizer": _TASK, "temperature": f"{_PAPER}: 1 is best",
                "dropout": _TASK})),
    differences=(
        "The teacher predicts without dropout; the authors' code leaves its dropout on.",
        "Soft labels are a mean over rows, not over rows and classes; `mean_over_classes` is the "
        "published way.",
        "Padding is in no mean; with `count_padding` it is.",
        "The embedding's output has a projection of its own, as in the paper; the code's one for "
        "all is `share_projection`.",
        "AdamW corrects its bias, the authors' BertAdam does not; gradients are clipped together."))
