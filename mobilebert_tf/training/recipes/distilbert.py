"""DistilBERT: predictions of all tokens, masked words and last states; and again on a task."""

from mobilebert_tf.training.recipes.layer_maps import spread_blocks
from mobilebert_tf.training.recipes.recipe import DistillationRecipe
from mobilebert_tf.training.recipes.stage_template import StageTemplate

_PAPER = "Sanh et al. 2019, arXiv:1910.01108"
_CODE = "distillation/ of the authors' code"
_SQUAD = "run_squad_w_distillation.py of the authors' code"

DISTILBERT = DistillationRecipe(
    description="predictions of all tokens at temperature 2, masked words and the cosine of last "
                "states, from blocks spread over the teacher",
    source=_PAPER, start="teacher_embedding", start_blocks=spread_blocks,
    templates=(StageTemplate(
        name="distillation", reads="corpus",
        losses={"all_token_distillation": 5.0, "masked_lm": 2.0, "last_state_cosine": 1.0},
        optimizer="adamw", learning_rate=5e-4, batch_size=250, epochs=3, warmup_fraction=0.05,
        options={"temperature": 2.0, "masking_rate": 0.15, "dropout": True},
        sources={
            "losses": f"{_CODE}: alpha_ce 5, alpha_mlm 2, alpha_cos 1 of the published run",
            "optimizer": _CODE, "learning_rate": _CODE,
            "batch_size": f"{_CODE}: batches of 5, 50 of them accumulated, on each GPU",
            "epochs": _CODE, "warmup_fraction": _CODE, "end_rate": f"{_CODE}: linear to 0",
            "temperature": f"{_CODE}: of the published run", "masking_rate": _CODE,
            "dropout": _CODE}),),
    differences=(
        "Pieces are masked with equal probability; the authors mask rare ones more often.",
        "Their AdamW has betas 0.9 and 0.98 and no decay, and clips at 5.",
        "Batches are not made of like lengths."))

DISTILBERT_D = DistillationRecipe(
    description="a second distillation while fine-tuning: labels and soft labels at temperature 2",
    source=f"{_PAPER}, DistilBERT (D)", start="own",
    templates=(StageTemplate(
        name="fine_tuning", reads="task", losses={"label": 0.5, "soft_label": 0.5},
        optimizer="adamw", learning_rate=5e-5, batch_size=32, epochs=3,
        options={"temperature": 2.0, "dropout": True},
        sources={
            "losses": f"{_SQUAD}: alpha_squad and alpha_ce 0.5", "optimizer": _SQUAD,
            "learning_rate": _SQUAD, "batch_size": "ours", "epochs": _SQUAD,
            "warmup_fraction": f"{_SQUAD}: none", "end_rate": f"{_SQUAD}: linear to 0",
            "temperature": _SQUAD, "dropout": _SQUAD}),))
